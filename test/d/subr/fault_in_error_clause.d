/*
 * A fault in an ERROR clause is only counted.
 * @quiet
 */
dtrace:::BEGIN { trace(*(int *)0x8); }
dtrace:::ERROR { printf("before\n"); }
dtrace:::ERROR { trace(*(int *)0x10); }
dtrace:::ERROR { printf("after\n"); }
dtrace:::BEGIN { printf("next\n"); }
