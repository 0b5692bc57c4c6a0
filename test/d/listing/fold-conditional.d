/* Only the chosen arm of a constant condition is compiled. */
BEGIN { trace(sizeof (long) == 8 ? pid : tid); }
