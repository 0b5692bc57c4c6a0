/* Nor has register. */
register int x;
BEGIN { trace(1); }
