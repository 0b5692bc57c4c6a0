/*
 * Only the last argument has to be used.
 * @quiet
 * @args: a b 3
 */
dtrace:::BEGIN { printf("%d\n", $3); }
