/* A constant 0 divisor of /=. */
BEGIN { x = 1; x /= 0; }
