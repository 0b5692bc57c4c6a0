/* Words reserved for later may not be used. */
BEGIN { while (1) trace(1); }
