BEGIN { trace("no end); }
