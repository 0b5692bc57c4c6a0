nosuch:::x { trace(args[0]); }
