struct s { int m:0; };
