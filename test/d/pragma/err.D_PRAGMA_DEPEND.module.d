#pragma D depends_on module nosuchmodule
dtrace:::BEGIN { }
