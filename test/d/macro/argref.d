/*
 * @quiet
 * @opt: argref
 * @args: a b
 */
dtrace:::BEGIN { printf("fine\n"); }
