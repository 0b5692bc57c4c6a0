BEGIN { tracemem(1, 0); }
