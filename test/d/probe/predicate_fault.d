/*
 * A fault in a predicate is an error of that clause only.
 * @quiet
 * @fire: t:::a arg0=0
 */
t:::a /10 / arg0 > 1/ { printf("never\n"); }
t:::a { printf("next\n"); }
