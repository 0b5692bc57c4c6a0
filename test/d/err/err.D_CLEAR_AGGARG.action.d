BEGIN { clear(trace(1)); }
