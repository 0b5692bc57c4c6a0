/*
 * @quiet
 * @fire: t:::a arg0=0
 * @fire: t:::a arg0=1
 * @fire: t:::a arg0=2
 * @fire: t:::a arg0=3
 */
t:::a
{
	if (arg0 == 0) { printf("zero\n"); }
	else if (arg0 == 1) { printf("one\n"); }
	else if (arg0 == 2) printf("two\n");
	else { printf("many\n"); }
}
