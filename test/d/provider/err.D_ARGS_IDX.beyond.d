/* @flags: -Z */
provider p { probe a(int); };
p:::a { trace(args[1]); }
