/* A string that is never closed. */
BEGIN { trace("abc); }
