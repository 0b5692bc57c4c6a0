/*
 * $$n is always a string.
 * @quiet
 * @args: 42 name
 */
dtrace:::BEGIN { printf("%s %s %d\n", $$1, $$2, strlen($$1)); }
