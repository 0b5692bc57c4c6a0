/*
 * Results are copied when they are stored.
 * @quiet
 * @fire: t:::a arg0=1
 * @fire: t:::a arg0=2
 */
t:::a { self->s = strjoin("n", lltostr(arg0)); all[arg0] = self->s; }
t:::a { printf("%s %s %s\n", self->s, all[1], all[2]); }
