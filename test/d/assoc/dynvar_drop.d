/*
 * When dynvarsize is used up stores are lost, with a drop; freeing makes room again.
 * @quiet
 * @opt: dynvarsize=1024 strsize=256
 * @fire: t:::a arg0=1
 * @fire: t:::a arg0=2
 * @fire: t:::a arg0=3
 * @fire: t:::a arg0=4
 * @fire: t:::a arg0=5
 * @fire: t:::free
 * @fire: t:::a arg0=5
 */
t:::a { s[arg0] = "text"; printf("%d [%s]\n", arg0, s[arg0]); }
t:::free { s[1] = 0; s[2] = 0; s[3] = 0; s[4] = 0; }
