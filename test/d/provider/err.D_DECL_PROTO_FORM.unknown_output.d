provider p { probe a(int i) : (int z); };
dtrace:::BEGIN { }
