/*
 * A clause on two probes is compiled for each: the types differ.
 * @quiet
 * @fire: sp:::s arg0=0x1ffff
 * @fire: sp:::l arg0=0x1ffff
 */
provider sp { probe s(short); probe l(long); };
sp:::s, sp:::l { printf("%d size %d\n", args[0], sizeof (args[0])); }
