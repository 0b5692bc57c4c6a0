/*
 * Pointers, comparisons and strings in predicates; a division is told from the predicate's end.
 * @quiet
 * @fire: t:::a arg0=8 execname=x
 */
t:::a /(int *)arg0/ { printf("pointer\n"); }
t:::a /arg0 / 2 == 4/ { printf("division\n"); }
t:::a /execname == "x" && arg0 > 7/ { printf("both\n"); }
t:::a /(char)256/ { printf("never\n"); }
t:::a /0x100000000/ { printf("wide\n"); }
t:::a /arg0 == 8/
{
	printf("own line\n");
}
