/*
 * Unsigned division, remainder, /= and %= by 0 are faults too.
 * @quiet
 */
unsigned int u;
BEGIN { u = 0; printf("%u\n", 8u / u); }
BEGIN { printf("%u\n", 8u % u); }
BEGIN { x = 5; x /= u; }
BEGIN { x %= u; }
BEGIN { printf("x is still %d\n", x); }
ERROR { printf("fault %d\n", arg4); }
