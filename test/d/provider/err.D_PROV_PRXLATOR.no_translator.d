struct o { int w; };
provider p { probe a(int i) : (struct o *i); };
dtrace:::BEGIN { }
