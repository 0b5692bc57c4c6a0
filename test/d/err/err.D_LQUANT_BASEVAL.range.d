BEGIN { @ = lquantize(1, -3000000000, 10); }
