#pragma D attributes Stable
dtrace:::BEGIN { }
