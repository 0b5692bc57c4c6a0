/* A comment that is never closed. */
BEGIN { trace(1); }
/* open
