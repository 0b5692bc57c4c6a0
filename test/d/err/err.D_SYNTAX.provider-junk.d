provider p { int x; };
