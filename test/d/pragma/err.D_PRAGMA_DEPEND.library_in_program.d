#pragma D depends_on library io.d
dtrace:::BEGIN { }
