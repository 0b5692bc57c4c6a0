/* A divisor that folds to 0. */
BEGIN { trace(10 / (sizeof (int) - 4)); }
