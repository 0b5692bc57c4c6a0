/*
 * @quiet
 * @fire: t:::a arg0=1
 * @fire: t:::a arg0=0
 */
t:::a { if (arg0) { } else { printf("else\n"); } }
t:::a { if (arg0) { printf("then\n"); } else { } }
t:::a { if (arg0) ; else ; printf("end\n"); }
