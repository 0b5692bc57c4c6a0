inline int a`b = 1;
