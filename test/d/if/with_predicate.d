/*
 * The clause's predicate comes first.
 * @quiet
 * @fire: t:::a arg0=1 arg1=1
 * @fire: t:::a arg0=0 arg1=1
 * @fire: t:::a arg0=1 arg1=0
 */
t:::a /arg0/ { if (arg1) { printf("both\n"); } else { printf("one\n"); } }
