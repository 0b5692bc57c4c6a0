BEGIN { tracemem(1, "a"); }
