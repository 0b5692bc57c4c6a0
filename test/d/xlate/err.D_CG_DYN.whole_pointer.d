struct o { int w; };
translator struct o < int i > { w = i; };
dtrace:::BEGIN { x = xlate <struct o *>(1); }
