BEGIN { tracemem(1, -1); }
