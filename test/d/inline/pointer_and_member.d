/*
 * @quiet
 * @mem: kernel 0x1000 u32 3 4
 */
struct pt { int x; int y; };
inline struct pt *P = (struct pt *)0x1000;
inline int psum[struct pt *p] = p->x + p->y;
dtrace:::BEGIN { printf("%d %d %d\n", P->x, psum[P], psum[(struct pt *)0x1000] * 10); }
