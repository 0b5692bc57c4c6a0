/* A call: the argument, flushts, a string pushed with its size. */
BEGIN { trace(basename(execname)); }
