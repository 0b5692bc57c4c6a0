void v;
dtrace:::BEGIN { }
