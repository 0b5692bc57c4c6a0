/*
 * @quiet
 * @fire: t:::a arg0=5
 */
inline int add[int a, int b] = a + b;
inline int sq[int a] = a * a;
inline string tag[string s, int n] = strjoin(s, lltostr(n));
inline int larger[int a, int b] = a > b ? a : b;
t:::a
{
	printf("%d %d %d\n", add[1, 2], sq[arg0 + 1], add[sq[2], sq[3]]);
	printf("%s %d %d\n", tag["n", 7], larger[3, arg0], larger[9, arg0]);
}
