struct s { int m:-1; };
