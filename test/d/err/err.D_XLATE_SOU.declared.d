translator int < int x > { m = x; };
