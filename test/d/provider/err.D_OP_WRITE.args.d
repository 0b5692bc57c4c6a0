/* @flags: -Z */
provider p { probe a(int); };
p:::a { args[0] = 1; }
