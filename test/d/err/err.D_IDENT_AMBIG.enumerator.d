int ONE;
# 1 "enum.h" 1
enum e { ONE };
# 5 "main.d" 2
enum e v;
BEGIN { trace(v == ONE); }
