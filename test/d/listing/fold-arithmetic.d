/* A constant expression is one constant: setx, ret. */
BEGIN { trace((1 + 2) * 3 - 4 / 2 % 3 << 2); }
