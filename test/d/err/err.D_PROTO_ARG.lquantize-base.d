BEGIN { @ = lquantize(1, "a", 2); }
