enum e { A = 2147483647, B };
