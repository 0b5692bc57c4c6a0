/* @flags: -Z */
provider p { probe a(int x); };
p:::a { trace(args[1]); }
