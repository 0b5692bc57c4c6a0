int a b;
