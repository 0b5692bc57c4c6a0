BEGIN { printf("a"); commit(1); }
