/*
 * @quiet
 */
enum e { X = 3, Y };
inline int n = Y + sizeof (long);
inline size_t z = sizeof (struct { int a; char b; });
dtrace:::BEGIN { printf("%d %d\n", n, z); }
