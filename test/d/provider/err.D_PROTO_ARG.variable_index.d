/* @flags: -Z */
provider p { probe a(int, int); };
p:::a { i = 1; trace(args[i]); }
