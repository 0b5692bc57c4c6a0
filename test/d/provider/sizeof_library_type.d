/*
 * A type that only a library has.
 * @quiet
 */
dtrace:::BEGIN { printf("%d %d\n", sizeof (fileinfo_t) > 0, sizeof (fileinfo_t *)); }
