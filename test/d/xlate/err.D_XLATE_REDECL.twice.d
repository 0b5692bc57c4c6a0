struct o { int w; };
translator struct o < int i > { w = i; };
translator struct o < int i > { w = i; };
dtrace:::BEGIN { }
