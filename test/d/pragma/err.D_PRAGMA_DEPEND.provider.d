#pragma D depends_on provider nosuch
dtrace:::BEGIN { }
