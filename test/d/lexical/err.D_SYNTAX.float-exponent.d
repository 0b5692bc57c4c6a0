/* Floating constants are not part of D, with an exponent neither. */
BEGIN { trace(1e5); }
