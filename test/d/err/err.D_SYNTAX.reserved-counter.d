counter int x;
