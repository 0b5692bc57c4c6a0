/*
 * Loads take any alignment: packed structs need it.
 * @quiet
 * @mem: kernel 0x1000 hex 01 02 03 04 05 06 07 08 09
 */
BEGIN { printf("%x %x %x\n", *(short *)0x1001, *(int *)0x1001, *(long *)0x1001); }
