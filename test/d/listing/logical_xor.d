/* ^^ makes 0 or 1 of both sides first. */
BEGIN { trace(arg0 ^^ arg1); }
