/* Nor is it an operand of &&. */
BEGIN { trace(execname && 1); }
