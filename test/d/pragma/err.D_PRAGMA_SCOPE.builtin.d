#pragma D attributes Private/Private/Unknown pid
dtrace:::BEGIN { }
