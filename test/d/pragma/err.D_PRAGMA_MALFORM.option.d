#pragma D option
dtrace:::BEGIN { }
