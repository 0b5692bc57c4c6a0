BEGIN { trace(*execname); }
