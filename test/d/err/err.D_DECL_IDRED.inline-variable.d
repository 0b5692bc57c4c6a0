int x;
inline int x = 1;
