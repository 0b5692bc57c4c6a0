BEGIN { printm(pid, curthread); }
