BEGIN { @ = llquantize(1, 10, pid, 3, 10); }
