/* No long char. */
long char x;
BEGIN { trace(1); }
