/*
 * A strsize below 8 is 8.
 * @quiet
 * @opt: strsize=3
 */
dtrace:::BEGIN { s = "0123456789"; printf("%s %d\n", s, sizeof (s)); }
