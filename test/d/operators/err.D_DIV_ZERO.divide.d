/* A constant 0 divisor. */
BEGIN { trace(1 / 0); }
