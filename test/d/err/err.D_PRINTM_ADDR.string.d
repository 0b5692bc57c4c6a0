BEGIN { printm(1, 2); }
