/* A string does not compare with an integer. */
BEGIN { trace(execname == 1); }
