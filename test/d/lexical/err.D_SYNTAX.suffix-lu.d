/* The u comes before the l. */
BEGIN { trace(1lu); }
