/* Clause-local associative arrays do not exist. */
this int a[int];
BEGIN { trace(1); }
