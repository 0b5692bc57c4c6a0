struct o { int w; };
dtrace:::BEGIN { trace(xlate <struct o>(1).w); }
