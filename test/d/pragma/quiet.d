#pragma D option quiet
dtrace:::BEGIN { trace(1); trace("x"); printf("\n"); }
