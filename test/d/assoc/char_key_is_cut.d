/*
 * A signature of a narrow type cuts keys to it.
 * @quiet
 * @show: vars
 */
int c[char];
int u[uint8_t];
dtrace:::BEGIN
{
	c['a'] = 1; c[0x161] = 2; c[-1] = 3;
	printf("%d %d %d\n", c['a'], c[0x261], c[255]);
	u[255] = 4; printf("%d %d\n", u[-1], u[0x1ff]);
}
