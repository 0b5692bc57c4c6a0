/*
 * The same declaration again is accepted.
 * @quiet
 * @fire: rp:::a arg0=1
 */
provider rp { probe a(int x); };
provider rp { probe a(int x); };
rp:::a { printf("%d\n", args[0]); }
