/* Histograms without data. */
BEGIN { @q = quantize(1, 0); @l = lquantize(1, 0, 10, 5, 0); @ll = llquantize(1, 10, 0, 1, 10, 0); }
