#pragma error this is wrong
dtrace:::BEGIN { }
