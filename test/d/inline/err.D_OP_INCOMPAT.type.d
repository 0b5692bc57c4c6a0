inline int i = "text";
dtrace:::BEGIN { trace(i); }
