BEGIN { a[exit(0)] = 1; }
