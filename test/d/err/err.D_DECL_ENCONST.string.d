enum e { A = "a" };
