/*
 * @quiet
 * @args: x
 */
dtrace:::BEGIN { printf("$1 %s\n", $$1); }
