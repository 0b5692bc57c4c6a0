#pragma D depends_on module nosuch_module
BEGIN { trace(1); }
