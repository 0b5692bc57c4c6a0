/* A string ends on its line. */
BEGIN { trace("a
b"); }
