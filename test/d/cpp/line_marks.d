/*
 * Marks of a preprocessor, without one.
 * @quiet
 */
# 1 "first.h" 1
typedef int first_t;
# 7 "script.d" 2
#line 20
dtrace:::BEGIN { printf("%d\n", sizeof (first_t)); }
