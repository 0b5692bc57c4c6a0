provider p`q { probe a(); };
