struct s int x;
