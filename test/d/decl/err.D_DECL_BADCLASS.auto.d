/* Nor has auto. */
auto int x;
BEGIN { trace(1); }
