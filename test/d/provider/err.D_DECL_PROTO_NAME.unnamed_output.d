provider p { probe a(int i) : (int); };
dtrace:::BEGIN { }
