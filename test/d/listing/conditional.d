/* ?: with integers and with strings. */
BEGIN { trace(arg0 ? arg1 : arg2); trace(arg0 == 0 ? "zero" : execname); }
