/* A void pointer does not say what it points to. */
BEGIN { trace(*(void *)8); }
