BEGIN { trace(strlen["a"]); }
