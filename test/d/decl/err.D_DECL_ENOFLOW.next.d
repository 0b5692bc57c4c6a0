/* Also the one after the largest int. */
enum e { A = 2147483647, B };
BEGIN { trace(1); }
