/* A clause that only speculates records the firing itself. */
BEGIN { self->s = speculation(); }
BEGIN { speculate(self->s); }
BEGIN { commit(self->s); }
