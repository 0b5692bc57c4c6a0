provider p1 { probe a(); };
