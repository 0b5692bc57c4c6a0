provider p { probe a(int); probe a(int); };
dtrace:::BEGIN { }
