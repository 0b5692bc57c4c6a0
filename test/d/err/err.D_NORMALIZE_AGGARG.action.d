BEGIN { normalize(trace(1), 2); }
