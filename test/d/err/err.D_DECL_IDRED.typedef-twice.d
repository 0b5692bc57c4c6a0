typedef int x;
typedef string x;
