short double x;
