#pragma D binding "x.y" a
int a;
dtrace:::BEGIN { }
