/*
 * @quiet
 * @args: 3 sh
 * @fire: t:::a arg0=3 execname=sh
 * @fire: t:::a arg0=4 execname=sh
 */
t:::a /arg0 == $1 && execname == $$2/ { printf("hit %d\n", arg0); }
