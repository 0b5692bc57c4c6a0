/* A word of another tracer. */
BEGIN { trace(comm); }
