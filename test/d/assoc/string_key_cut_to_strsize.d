/*
 * Keys that differ only after strsize characters are one (S C3).
 * @quiet
 * @opt: strsize=8
 * @show: vars
 */
dtrace:::BEGIN { a["abcdefghi"] = 1; a["abcdefghx"]++; printf("%d %d\n", a["abcdefgh"], a["abcdefgx"]); }
