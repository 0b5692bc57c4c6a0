/* Not three longs. */
long long long x;
BEGIN { trace(1); }
