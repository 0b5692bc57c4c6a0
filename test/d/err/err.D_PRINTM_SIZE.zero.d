BEGIN { printm(0, curthread); }
