/* Associative arrays: keys pushed, then ldgaa and stgaa; thread-local ones likewise. */
BEGIN { a[arg0, execname] = arg1; self->b[pid] = a[arg0, execname]; a[1, "x"]++; }
BEGIN { a[0, ""] = 0; trace(self->b[pid]); }
