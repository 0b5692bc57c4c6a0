#pragma D attributes Nosuch/Stable/Common x
int x;
dtrace:::BEGIN { }
