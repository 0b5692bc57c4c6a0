BEGIN { @ = llquantize(1, 70000, 0, 3, 10); }
