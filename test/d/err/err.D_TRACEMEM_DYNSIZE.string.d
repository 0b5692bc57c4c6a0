BEGIN { tracemem(1, 2, "a"); }
