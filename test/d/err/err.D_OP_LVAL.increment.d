BEGIN { 1++; }
