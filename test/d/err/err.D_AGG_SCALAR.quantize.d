BEGIN { @ = quantize(execname); }
