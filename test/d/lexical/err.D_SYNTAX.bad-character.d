/* A character D does not know. */
BEGIN { trace(1 \ 2); }
