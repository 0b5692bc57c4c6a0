/* What is discarded never appears, and its number can be used again.
 * @fire: syscall::read:entry
 * @fire: syscall::read:return
 * @fire: syscall::read:entry
 * @fire: syscall::write:return
 * @kernel: no, because the time is told
 */
syscall::read:entry { self->spec = speculation(); printf("spec %d", self->spec); }
syscall::read:entry { speculate(self->spec); printf("at %d", timestamp); }
syscall::read:return { discard(self->spec); self->spec = 0; }
syscall::write:return { commit(self->spec); }
