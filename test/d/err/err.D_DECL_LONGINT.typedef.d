typedef int num;
num long x;
