BEGIN { @ = lquantize(execname, 0, 10, 1); }
