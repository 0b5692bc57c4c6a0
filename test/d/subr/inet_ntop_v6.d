/*
 * @quiet
 * @mem: kernel 0x2000 hex fe 80 00 00 00 00 00 00 00 01 00 00 00 00 00 01
 */
dtrace:::BEGIN { printf("%s\n", inet_ntop(10, (void *)0x2000)); }
