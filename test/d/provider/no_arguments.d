/*
 * @quiet
 * @fire: np:::a arg0=3
 */
provider np { probe a(); probe b(void); };
np:::a { printf("%d\n", arg0); }
