/* A string and an integer have no common type. */
BEGIN { trace(pid ? "a" : 1); }
