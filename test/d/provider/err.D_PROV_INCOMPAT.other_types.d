provider p { probe a(int); };
provider p { probe a(string); };
dtrace:::BEGIN { }
