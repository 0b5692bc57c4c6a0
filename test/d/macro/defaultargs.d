/*
 * Missing arguments are 0 and "" with defaultargs.
 * @quiet
 * @args: 5
 */
#pragma D option defaultargs
dtrace:::BEGIN { printf("%d %d [%s]\n", $1, $2, $$3); }
