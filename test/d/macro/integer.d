/*
 * @quiet
 * @args: 42 -7 0x10 010
 */
dtrace:::BEGIN { printf("%d %d %d %d %d\n", $1, $2, $3, $4, 10 - $2); }
