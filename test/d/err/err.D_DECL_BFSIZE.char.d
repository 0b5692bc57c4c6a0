struct s { char m:9; };
