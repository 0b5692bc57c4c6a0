/* aggzoom: the longest bar is 95 percent, whatever the total. */
#pragma D option aggzoom
BEGIN { @ = lquantize(1, 0, 5, 1, 1); @ = lquantize(2, 0, 5, 1, 2); @ = lquantize(3, 0, 5, 1, 4); @ = lquantize(4, 0, 5, 1, 1); }
