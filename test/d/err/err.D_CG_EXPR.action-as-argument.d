BEGIN { trace(strlen(printf("x"))); }
