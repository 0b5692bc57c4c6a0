struct a`b { int m; };
