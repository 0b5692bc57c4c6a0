/* ftruncate() is recorded and has no text of its own. */
BEGIN { trace(1); ftruncate(); trace(2); }
