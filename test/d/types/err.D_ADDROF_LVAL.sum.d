/* A value has no address. */
BEGIN { trace(&(pid + 1)); }
