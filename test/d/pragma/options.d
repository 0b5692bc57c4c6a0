#pragma D option quiet
#pragma D option strsize=16
#pragma D option nspec=2
#pragma D option bufsize=4m
#pragma D option switchrate=10hz
#pragma D option aggsortkey
dtrace:::BEGIN { printf("%d\n", sizeof (string)); @[2] = sum(1); @[1] = sum(2); }
