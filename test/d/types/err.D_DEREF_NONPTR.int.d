/* An integer is no pointer. */
BEGIN { x = 1; trace(*x); }
