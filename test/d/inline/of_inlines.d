/*
 * @quiet
 */
inline int A = 2;
inline int B = A * 3;
inline int C = B + A;
inline string s = "x";
inline string t = strjoin(s, lltostr(C));
dtrace:::BEGIN { printf("%d %d %s\n", B, C, t); }
