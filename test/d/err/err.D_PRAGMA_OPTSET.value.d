#pragma D option strsize=x
BEGIN { trace(1); }
