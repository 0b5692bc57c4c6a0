struct s { int m[int]; };
