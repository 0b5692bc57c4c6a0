BEGIN { @ = lquantize(1, 0, pid); }
