BEGIN /(void)0/ { trace(1); }
