/* S A1, P 4.1: exit() in ERROR: the other clauses of ERROR run, those of the firing do not.
 * @fire: syscall::read:entry
 */
syscall::read:entry { trace(*(int *)0); }
syscall::read:entry { exit(0); }
ERROR { exit(1); }
ERROR { trace("told"); }
ERROR { trace("too late"); exit(2); }
