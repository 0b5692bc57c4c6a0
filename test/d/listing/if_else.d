/* if and else: the condition is an object whose value says what is skipped. */
BEGIN { if (arg0 == 1) trace("one"); else trace("other"); }
