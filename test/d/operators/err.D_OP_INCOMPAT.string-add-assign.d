/* Strings have no +=. */
BEGIN { s = "a"; s += 1; }
