/* Not both signs. */
signed unsigned x;
BEGIN { trace(1); }
