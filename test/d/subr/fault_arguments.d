/*
 * dtrace:::ERROR has the enabling's id, the action, the offset, the fault and the address.
 * @quiet
 * @kernel: no, because it prints where scratch lies
 */
dtrace:::BEGIN { trace(1); trace(*(int *)0x8); }
dtrace:::BEGIN { p = (int *)alloca(8); *(int *)((uintptr_t)p + 2) = 1; }
dtrace:::BEGIN { trace(1 / (pid - pid)); }
dtrace:::BEGIN { trace(lltostr(1, 99)); }
dtrace:::BEGIN { trace(alloca(arg0 + (1 << 24))); }
dtrace:::BEGIN / *(int *)0x10 == 0/ { trace(1); }
dtrace:::ERROR { printf("ERROR epid %d action %d offset %d fault %d addr %x\n", arg1, arg2, arg3, arg4, arg5); }
