/*
 * Destructive: copyout() and copyoutstr() change the process.
 * @quiet
 * @opt: destructive
 * @mem: user-rw 0x5000 u32 1 2 3
 * @mem: user 0x6000 u32 1
 * @fire: t:::a
 * @fire: t:::a
 */
t:::a { printf("%d\n", *(int *)copyin(0x5004, 4)); }
t:::a
{
	this->p = (int *)alloca(4); *this->p = 77; copyout(this->p, 0x5004, 4);
	copyoutstr("abcdef", 0x5008, 4); printf("%s\n", copyinstr(0x5008, 4));
}
t:::a { copyout(alloca(4), 0x6000, 4); }
