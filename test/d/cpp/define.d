/*
 * Macros of the preprocessor, with and without parameters.
 * @quiet
 * @opt: cpp
 */
#define N 3
#define TWICE(x) ((x) * 2)
#define SAY(s) printf("%s\n", s)
dtrace:::BEGIN { printf("%d %d\n", N, TWICE(N + 1)); SAY("said"); }
#undef N
#define N 4
dtrace:::BEGIN { printf("%d\n", N); }
