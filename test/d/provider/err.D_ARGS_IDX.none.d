/* @flags: -Z */
provider p { probe a(void); };
p:::a { trace(args[0]); }
