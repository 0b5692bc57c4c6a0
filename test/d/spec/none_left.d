/* By default there is one speculation; when none is left speculation() is 0, which is counted. speculate(0) loses the rest. */
BEGIN { printf("%d %d", speculation(), speculation()); }
BEGIN { speculate(0); trace("lost"); }
BEGIN { commit(0); }
BEGIN { discard(0); trace("discard of nothing"); }
