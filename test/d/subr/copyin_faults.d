/*
 * Bad user addresses fault: the rest of the clause is not done, other clauses are.
 * @quiet
 * @mem: user 0x5000 u32 1
 * @mem: kernel 0x7000 "kernel"
 */
dtrace:::BEGIN { printf("not shown"); trace(*(int *)copyin(0, 4)); printf("nor this"); }
dtrace:::BEGIN { trace(*(long *)copyin(0x5000, 8)); }
dtrace:::BEGIN { trace(copyinstr(0x9000)); }
dtrace:::BEGIN { trace(copyinstr(0x7000)); }
dtrace:::BEGIN { printf("last\n"); }
