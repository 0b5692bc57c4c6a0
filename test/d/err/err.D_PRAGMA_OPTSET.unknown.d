#pragma D option nosuch
BEGIN { trace(1); }
