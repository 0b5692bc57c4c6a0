/*
 * A parameter is its expression: with an effect, it happens where it stands. What is not used is not evaluated.
 * @quiet
 */
inline int pick[int c, int a, int b] = c ? a : b;
dtrace:::BEGIN { x = 0; y = 0; this->v = pick[1, x++, y++]; printf("%d %d %d\n", this->v, x, y); }
