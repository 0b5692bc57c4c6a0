#pragma D option nosuch
dtrace:::BEGIN { }
