struct s { int m; };
provider p { probe a(int x) : (struct s x); };
