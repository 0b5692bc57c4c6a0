/* one /* two */
BEGIN { trace(1); }
