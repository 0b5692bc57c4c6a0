/* Unary operators of constants. */
BEGIN { trace(- -~+5 + !3); }
