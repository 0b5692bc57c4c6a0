struct o { int w; };
translator struct o < int i > { w = "s"; };
dtrace:::BEGIN { }
