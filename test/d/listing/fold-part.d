/* The constant part of a sum folds, the rest is computed. */
BEGIN { trace(pid + (2 * 3 + 4)); }
