/* ++ needs something to change. */
BEGIN { 5++; }
