/* exit(): nothing fires after it but END; the rest of the clause still runs; its value is the status.
 * @fire: syscall::read:entry
 * @fire: syscall::write:entry
 */
syscall::read:entry { exit(3); trace("rest"); }
syscall::read:entry { trace("other clause"); }
syscall::write:entry { trace("never"); }
END { trace("end"); }
