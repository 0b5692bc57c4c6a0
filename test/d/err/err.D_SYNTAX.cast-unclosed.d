BEGIN { trace((int 1); }
