#pragma D binding "1.0
inline int x = 1;
