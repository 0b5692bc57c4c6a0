/*
 * @quiet
 * @opt: cpp define=GIVEN define=VALUE=5 undef=__linux
 */
#ifdef GIVEN
dtrace:::BEGIN { printf("given %d\n", GIVEN); }
#else
dtrace:::BEGIN { printf("not given\n"); }
#endif
#if VALUE > 4
dtrace:::BEGIN { printf("value %d\n", VALUE); }
#endif
#ifdef __linux
dtrace:::BEGIN { printf("linux\n"); }
#else
dtrace:::BEGIN { printf("undefined\n"); }
#endif
