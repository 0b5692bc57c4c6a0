BEGIN { trace((1); }
