#pragma D option strsize=8
#pragma D option quiet
dtrace:::BEGIN { s = "0123456789"; printf("%s %d %d\n", s, strlen(s), sizeof (s)); }
