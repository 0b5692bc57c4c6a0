/*
 * An inline of a variable reads it where it is used.
 * @quiet
 */
int g;
self int v;
inline int next = g + 1;
inline int same[int k] = self->v == k;
dtrace:::BEGIN { g = 5; printf("%d ", next); g = 6; self->v = 3; printf("%d %d %d\n", next, same[3], same[4]); }
