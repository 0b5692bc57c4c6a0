unsigned unsigned x;
