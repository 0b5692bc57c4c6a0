int x;
BEGIN { trace(&x); }
