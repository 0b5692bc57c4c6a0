struct s { int *m:3; };
