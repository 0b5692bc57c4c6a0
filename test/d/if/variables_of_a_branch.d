/*
 * Variables of a branch that was not taken are 0 afterwards.
 * @quiet
 * @fire: t:::a arg0=0
 * @fire: t:::a arg0=1
 */
t:::a { if (arg0) { this->x = 5; this->s = "set"; } printf("%d [%s]\n", this->x, this->s); }
