BEGIN { timestamp += 1; }
