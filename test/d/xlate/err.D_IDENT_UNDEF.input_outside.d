struct o { int w; };
translator struct o < int inp > { w = inp; };
dtrace:::BEGIN { trace(inp); }
