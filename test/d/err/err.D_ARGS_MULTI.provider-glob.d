:::entry { trace(args[0]); }
