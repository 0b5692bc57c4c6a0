BEGIN { trace(a.out``main); }
