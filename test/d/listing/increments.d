/* ++ and --, before and after, and op=; each is load, change, store. */
int i; char c; int *p;
BEGIN { i++; ++i; trace(i++); trace(--i); i += 5; i <<= 2; c++; c -= 3; p++; }
