/* Aggregations: each key and the value is an object of its own; the id is not listed. */
syscall:::entry { @[execname, pid] = sum(arg0); @q[stack()] = quantize(arg1, arg2); @n = count(); }
