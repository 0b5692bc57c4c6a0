/*
 * @quiet
 */
dtrace:::BEGIN { printf("%s %s\n", basename($0), basename($$0)); }
