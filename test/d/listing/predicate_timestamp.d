/* The example everybody knows: a comparison makes 0 or 1, a thread-local store, a table of variables. */
syscall:::entry /pid == 1/ { self->ts = timestamp; }
