/*
 * A divisor that turns out 0 is a fault: ERROR fires and the clause ends.
 * @quiet
 * @fire: t:m:f:go arg0=0
 * @fire: t:m:f:go arg0=4
 */
t:m:f:go { printf("before\n"); printf("%d\n", 8 / arg0); printf("after\n"); }
t:m:f:go { printf("%d\n", 9 % arg0); }
ERROR { printf("ERROR: probe %d, action %d, fault %d, value %d\n", arg1, arg2, arg4, arg5); }
