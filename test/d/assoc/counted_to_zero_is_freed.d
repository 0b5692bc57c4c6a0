/*
 * An element that reaches 0 by arithmetic is freed.
 * @quiet
 * @show: vars
 */
dtrace:::BEGIN { a[1]++; a[2]++; a[1]--; a[2] -= 1; a[3]++; }
