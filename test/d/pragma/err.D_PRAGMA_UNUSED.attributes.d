#pragma D attributes Stable/Stable/Common nosuch
dtrace:::BEGIN { }
