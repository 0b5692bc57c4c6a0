BEGIN { strlen("a") = 2; }
