/*
 * Conditions are evaluated once, only when they are reached.
 * @quiet
 * @fire: t:::a arg0=1
 * @fire: t:::a arg0=0
 */
t:::a { if (arg0 && ++x) { y++; } else if (z++ == 0) { w++; } printf("%d %d %d %d\n", x, y, z, w); }
