/*
 * A joined string that does not fit in strsize is a fault.
 * @quiet
 * @opt: strsize=8
 */
dtrace:::BEGIN { printf("%s\n", strjoin("abc", "defg")); }
dtrace:::BEGIN { printf("%s\n", strjoin("abcd", "efgh")); }
dtrace:::BEGIN { printf("%s\n", strjoin("abcd", "efghi")); }
