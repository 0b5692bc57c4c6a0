#pragma D option strsize = 64
