/* Comparisons and logical operators of constants fold. */
BEGIN { trace((1 < 2) + (-1 < 1u) * 2 + (1 && 2) * 4 + (0 || 0) * 8 + (1 ^^ 0) * 16 + !0 * 32); }
