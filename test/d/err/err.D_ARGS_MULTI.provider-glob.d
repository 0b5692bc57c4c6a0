io*:::start { trace(args[0]); }
