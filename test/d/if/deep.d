/*
 * @quiet
 * @fire: t:::a arg0=255
 * @fire: t:::a arg0=127
 */
t:::a
{
	if (arg0 & 1) { if (arg0 & 2) { if (arg0 & 4) { if (arg0 & 8) { if (arg0 & 16) { if (arg0 & 32) { if (arg0 & 64) {
		if (arg0 & 128) printf("all\n"); else printf("but one\n"); } } } } } } }
}
