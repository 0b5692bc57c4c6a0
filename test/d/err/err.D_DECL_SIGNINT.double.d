unsigned double x;
