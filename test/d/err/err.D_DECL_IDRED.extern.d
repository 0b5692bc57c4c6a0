extern int x;
extern string x;
