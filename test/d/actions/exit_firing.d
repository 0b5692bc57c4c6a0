/* S A1: after exit() no clause of the firing runs, the arms of an if are clauses of their own, the first status counts.
 * @fire: syscall::read:entry
 * @fire: syscall::write:entry
 */
syscall::read:entry { trace("first"); if (1) { exit(3); trace("rest of the arm"); } else { trace("other arm"); } trace("behind"); exit(4); }
syscall::read:entry { n = 7; exit(5); }
syscall::write:entry { trace("never"); }
END { trace(n); }
