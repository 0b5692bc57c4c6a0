/* Integer keys by size: 1, 2, 4, 8 bytes; signed ones keep their sign, but sort as unsigned. Ties in value are ordered by key. */
BEGIN
{
	@a[(char)5, (short)300, 70000, 5000000000] = count();
	@b[(char)-5] = count(); @b[(char)5] = count();
	@c[(unsigned char)250] = count();
	@d[(short)-5] = count(); @d[(short)5] = count();
	@e[-5] = count(); @e[5] = count();
	@f[(unsigned int)4000000000] = count();
	@g[-5L] = count(); @g[5L] = count();
	@h[(unsigned long)-1] = count();
	@i['x'] = count(); @j[1 == 1] = count(); @k[(void *)0x1234] = count();
}
