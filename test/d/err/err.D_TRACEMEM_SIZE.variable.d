BEGIN { tracemem(1, pid); }
