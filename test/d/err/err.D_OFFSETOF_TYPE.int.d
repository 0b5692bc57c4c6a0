BEGIN { trace(offsetof(int, m)); }
