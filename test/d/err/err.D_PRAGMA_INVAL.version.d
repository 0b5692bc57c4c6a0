#pragma D binding "x.y" v
inline int v = 1;
