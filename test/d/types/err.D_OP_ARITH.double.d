/* No arithmetic on doubles. */
BEGIN { trace(*(double *)8 * 2); }
