struct o { int w; };
translator struct o < int i > { z = i; };
dtrace:::BEGIN { }
