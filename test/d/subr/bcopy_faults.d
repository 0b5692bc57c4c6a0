/*
 * bcopy() writes to scratch only and reads what can be read.
 * @quiet
 * @mem: kernel 0x1000 u32 1
 */
dtrace:::BEGIN { bcopy((void *)0x1000, (void *)0x1000, 4); }
dtrace:::BEGIN { bcopy((void *)0x9000, alloca(4), 4); }
dtrace:::BEGIN { bcopy((void *)0x1000, alloca(4), 8); }
dtrace:::BEGIN { bcopy((void *)0x1000, alloca(4), 0); printf("ok\n"); }
