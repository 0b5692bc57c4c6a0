/* ~ needs an integer. */
BEGIN { trace(~execname); }
