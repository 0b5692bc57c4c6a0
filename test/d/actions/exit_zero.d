/* exit(0) stops too. */
BEGIN { exit(0); }
END { trace("end"); }
