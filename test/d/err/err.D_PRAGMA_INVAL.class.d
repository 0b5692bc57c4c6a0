#pragma D depends_on nosuch x
BEGIN { trace(1); }
