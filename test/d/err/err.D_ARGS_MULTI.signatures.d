/* @flags: -Z */
provider p { probe a(int x); probe b(string s); };
p::: { trace(args[0]); }
