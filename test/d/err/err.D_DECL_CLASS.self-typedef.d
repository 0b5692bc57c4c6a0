self typedef int x;
