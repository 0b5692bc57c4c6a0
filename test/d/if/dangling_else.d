/*
 * else belongs to the nearest if.
 * @quiet
 * @fire: t:::a arg0=0 arg1=0
 * @fire: t:::a arg0=1 arg1=0
 * @fire: t:::a arg0=1 arg1=1
 */
t:::a { printf("%d%d:", arg0, arg1); if (arg0) if (arg1) printf(" both"); else printf(" first"); printf("\n"); }
