/* S 3: limit and step differ; the limit is looked at first. */
BEGIN { @ = lquantize(1, 0, 100, 10); @ = lquantize(1, 0, 200, 20); }
