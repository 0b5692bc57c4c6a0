/* A } too much. */
BEGIN { trace(1); } }
