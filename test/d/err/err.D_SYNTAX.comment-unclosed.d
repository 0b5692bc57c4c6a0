BEGIN { trace(1); }
/* no end
