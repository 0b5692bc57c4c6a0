/* S A1: exit() in END is the last word; END goes on behind it.
 * @fire: syscall::read:entry
 */
syscall::read:entry { exit(3); }
END { if (1) { exit(4); } trace("END goes on"); }
END { trace("its second clause too"); exit(5); }
