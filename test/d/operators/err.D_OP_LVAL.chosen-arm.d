/* ?: gives a value, even when its condition is constant. */
BEGIN { x = y = 1; (1 ? x : y) = 2; }
