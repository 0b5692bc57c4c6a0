/* || */
BEGIN /arg0 || arg1/ { trace(arg0 > 1 || arg1 < 2); }
