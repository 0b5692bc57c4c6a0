/* Nor do pointers to different things. */
BEGIN { x = (int *)8; x = (long *)8; }
