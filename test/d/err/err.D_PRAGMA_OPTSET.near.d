#pragma D option strsiz=64
BEGIN { trace(1); }
