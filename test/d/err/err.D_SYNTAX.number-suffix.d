BEGIN { trace(12ab); }
