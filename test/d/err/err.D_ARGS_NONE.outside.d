inline int x = args[0];
