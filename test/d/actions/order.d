/* Clauses run in program order, each firing prints its own line, END comes last.
 * @fire: syscall::read:entry pid=7
 * @fire: syscall::read:return pid=8
 */
END { trace("end"); }
syscall::read:entry, syscall::read:return { trace(pid); }
syscall::read:* { trace(probename); trace(probefunc); trace(probeprov); trace(probemod); }
