/* # N "file" is the same, as cpp writes it. */
# 7 "other.d" 1
BEGIN { trace(1 +); }
