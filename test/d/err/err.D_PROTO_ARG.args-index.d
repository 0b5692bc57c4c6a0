BEGIN { x = 1; trace(args[x]); }
