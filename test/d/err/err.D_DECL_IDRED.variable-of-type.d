typedef int x;
string x;
