/*
 * @quiet
 * @fire: t:::a arg0=0
 * @fire: t:::a arg0=1
 */
t:::a { if (arg0) { printf("yes "); n++; } printf("after %d\n", n); }
t:::a { if (arg0) printf("then\n"); else printf("else\n"); }
