/*
 * @quiet
 */
dtrace:::BEGIN { printf("%d %d\n", getmajor(0x800005), getminor(0x800005)); }
