/* An unknown control line. */
#nosuch
BEGIN { trace(1); }
