self int x;
self string x;
