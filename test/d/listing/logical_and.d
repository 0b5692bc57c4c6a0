/* && tests both sides and makes 0 or 1. */
BEGIN /arg0 && arg1/ { trace(arg0 == 1 && arg1 == 2); }
