#pragma D nosuch
dtrace:::BEGIN { }
