/*
 * Inlines of constants and of expressions; those of constants are constants.
 * @quiet
 * @fire: t:::a arg0=3
 * @fire: t:::a arg0=4
 */
inline int FOUR = 4;
inline int twice_arg = arg0 * 2;
inline string greeting = "hi";
int arr[FOUR];
t:::a { printf("%d %d %s %d\n", FOUR + 1, twice_arg, greeting, sizeof (arr)); }
