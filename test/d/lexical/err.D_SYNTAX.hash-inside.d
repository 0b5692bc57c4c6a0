/* # is for control lines only. */
BEGIN { trace(1 # 2); }
