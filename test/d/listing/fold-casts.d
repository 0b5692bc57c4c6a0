/* Casts of constants fold. */
BEGIN { trace((unsigned char)-1 + (char)300); }
