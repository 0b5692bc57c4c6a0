/* A divisor that is 0 after its cast. */
BEGIN { trace(10 % (char)256); }
