struct nosuch v;
dtrace:::BEGIN { }
