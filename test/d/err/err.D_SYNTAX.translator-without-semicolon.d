struct a { int m; };
translator struct a < int x > { m = x }
