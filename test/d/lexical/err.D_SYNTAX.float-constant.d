/* Floating constants are not part of D. */
BEGIN { trace(1.5); }
