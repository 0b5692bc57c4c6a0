/* void has no size to step by. */
BEGIN { trace((void *)8 + 1); }
