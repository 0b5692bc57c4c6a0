/* Words reserved for later may not be used. */
BEGIN { return; }
