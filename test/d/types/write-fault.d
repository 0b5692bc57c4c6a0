/*
 * A store outside memory the program owns is a fault.
 * @quiet
 * @mem: kernel 0x1000 u32 7
 */
BEGIN { *(int *)0x1000 = 1; }
BEGIN { this->p = (int *)alloca(8); this->p[1 << 18] = 1; this->p[0] = 1; }
BEGIN { printf("%d\n", *(int *)0x1000); }
ERROR { printf("fault %d\n", arg4); }
