/* & needs integers. */
BEGIN { trace((int *)8 & 1); }
