/*
 * A cast to void throws the value away.
 * @quiet
 */
BEGIN { x = 1; (void)x++; printf("%d\n", x); }
