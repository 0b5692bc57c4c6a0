/*
 * Keys that differ only after strsize - 1 characters are one.
 * @quiet
 * @opt: strsize=8
 * @show: vars
 */
dtrace:::BEGIN { a["abcdefgh"] = 1; a["abcdefgx"]++; printf("%d %d\n", a["abcdefg"], a["abcdefx"]); }
