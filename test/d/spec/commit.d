/* A speculation's records appear when it is committed, under the probes they were recorded in.
 * @fire: syscall::read:entry pid=1
 * @fire: syscall::read:entry pid=2 tid=2
 * @fire: syscall::read:return pid=1
 */
syscall::read:entry /pid == 1/ { self->spec = speculation(); }
syscall::read:entry /self->spec/ { speculate(self->spec); trace("speculated"); trace(pid); }
syscall::read:entry { printf("entry of %d, spec %d", pid, self->spec); }
syscall::read:return /self->spec/ { commit(self->spec); self->spec = 0; }
syscall::read:return { trace("return"); }
