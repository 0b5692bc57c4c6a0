enum e { ZERO };
BEGIN { trace(1 / ZERO); }
