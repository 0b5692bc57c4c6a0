/* A string is neither true nor false. */
BEGIN { trace(!execname); }
