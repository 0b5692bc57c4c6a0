typedef int num;
num unsigned x;
