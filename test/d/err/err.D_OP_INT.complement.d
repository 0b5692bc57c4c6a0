BEGIN { trace(~execname); }
