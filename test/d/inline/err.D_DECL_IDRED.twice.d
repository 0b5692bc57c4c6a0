inline int a = 3;
inline int a = 3;
dtrace:::BEGIN { }
