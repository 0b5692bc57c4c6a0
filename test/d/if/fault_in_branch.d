/*
 * @quiet
 * @fire: t:::a arg0=1
 * @fire: t:::a arg0=0
 */
t:::a { if (arg0) { trace(1 / (arg0 - 1)); } else { printf("fine "); } n++; printf("end\n"); }
t:::a { printf("n %d\n", n); }
