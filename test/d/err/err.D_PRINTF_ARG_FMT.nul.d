BEGIN { printf("a\0b"); }
