BEGIN { trace(+execname); }
