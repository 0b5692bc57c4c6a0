BEGIN { @ = llquantize(1, 10, 0, 70000, 10); }
