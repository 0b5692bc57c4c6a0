struct o { int w; };
translator struct o < int i > { w = i; };
dtrace:::BEGIN { trace(xlate <struct o *>(1)); }
