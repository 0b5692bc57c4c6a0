/* A sum is not assigned to. */
BEGIN { x = 1; (x + 1) = 2; }
