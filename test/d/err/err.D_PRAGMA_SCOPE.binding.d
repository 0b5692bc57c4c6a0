#pragma D binding "1.0" execname
BEGIN { trace(1); }
