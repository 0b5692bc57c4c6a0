struct s { int m:33; };
