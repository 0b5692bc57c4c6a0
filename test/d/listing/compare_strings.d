/* Strings are compared by scmp. */
BEGIN /execname == "bash"/ { trace(execname < probename); trace("a" != execname); }
