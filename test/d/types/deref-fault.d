/*
 * Reading where nothing is mapped is a fault: BADADDR and the address.
 * @quiet
 * @mem: kernel 0x1000 u32 7
 */
BEGIN { printf("%d\n", *(int *)0x1000); }
BEGIN { printf("%d\n", *(int *)0x2000); }
BEGIN { printf("%d\n", *(int *)NULL); }
BEGIN { printf("%d\n", *(long *)0x1000); }
BEGIN { printf("on\n"); }
ERROR { printf("fault %d at 0x%x\n", arg4, arg5); }
