/*
 * What every script may ask for.
 * @quiet
 * @opt: cpp
 */
#if defined(__SUNW_D) && defined(__SUNW_D_64) && defined(__unix) && defined(__linux) && !defined(__GNUC__)
dtrace:::BEGIN { printf("all there\n"); }
#endif
dtrace:::BEGIN { printf("%x\n", __SUNW_D_VERSION); }
