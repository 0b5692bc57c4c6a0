struct o { int w; int x; };
translator struct o < int i > { w = i; };
dtrace:::BEGIN { trace(xlate <struct o>(1).x); }
