BEGIN { strjoin("a", 1); }
