BEGIN { printf("100%", 1); }
