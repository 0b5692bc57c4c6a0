/*
 * @quiet
 * @fire: t:::a pid=5 ancestors=4,3,1
 * @kernel: no, because ancestors and random numbers are told
 */
t:::a { printf("%d%d%d%d\n", progenyof(5), progenyof(3), progenyof(1), progenyof(2)); x = rand(); printf("%d\n", sizeof (x)); }
