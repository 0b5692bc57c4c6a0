BEGIN { @ = llquantize(execname, 10, 0, 3, 10); }
