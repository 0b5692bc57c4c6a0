translator struct nosuch < int x > { m = x; };
