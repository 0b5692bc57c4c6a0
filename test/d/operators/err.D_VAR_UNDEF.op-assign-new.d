/* op= does not type a new variable. */
BEGIN { x += 1; }
