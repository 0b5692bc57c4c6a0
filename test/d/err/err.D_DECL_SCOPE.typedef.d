typedef int a`b;
