/*
 * @quiet
 * @opt: strsize=8
 * @mem: user 0x6000 "0123456789"
 */
dtrace:::BEGIN { printf("%s %s\n", copyinstr(0x6000), copyinstr(0x6000, 3)); }
