/*
 * @quiet
 * @mem: user 0x5000 u32 5 6
 */
dtrace:::BEGIN
{
	this->p = (int *)alloca(8);
	copyinto(0x5000, 8, this->p);
	printf("%d %d\n", this->p[0], this->p[1]);
}
dtrace:::BEGIN { copyinto(0x5000, 8, (void *)0x1000); }
dtrace:::BEGIN { copyinto(0x5000, 16, alloca(16)); }
