int x;
string x;
dtrace:::BEGIN { }
