/*
 * @quiet
 * @fire: prov:mod:func:name
 */
prov:mod:func:name { printf("%s:%s:%s:%s\n", probeprov, probemod, probefunc, probename); }
