#pragma D option bufsize=xyz
dtrace:::BEGIN { }
