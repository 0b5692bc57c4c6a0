/*
 * One clause on several probes; a probe matched twice by one clause runs it twice.
 * @quiet
 * @fire: p:m:f:one
 * @fire: p:m:f:two
 * @fire: p:m:f:three
 */
p:::one, p:::two { printf("A %s\n", probename); }
p:::one,
p:::three,
p:m:: { printf("B %s\n", probename); }
