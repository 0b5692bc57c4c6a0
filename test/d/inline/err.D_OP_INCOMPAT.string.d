inline string s = 5;
dtrace:::BEGIN { trace(s); }
