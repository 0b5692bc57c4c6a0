BEGIN { tracemem(1); }
