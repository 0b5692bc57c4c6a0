/* A function is not read. */
BEGIN { trace(*(int (*)(void))8); }
