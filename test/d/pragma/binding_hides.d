/*
 * Names bound to a later version than -x version do not exist.
 * @quiet
 * @opt: version=1.2
 */
inline int a = 1;
#pragma D binding "1.2" b
inline int b = 2;
dtrace:::BEGIN { printf("%d %d %d\n", a, b, strlen("x")); }
