/*
 * @quiet
 * @args: 3 name
 */
int arr[$1];
int $2;
dtrace:::BEGIN { $2 = 9; printf("%d %d\n", sizeof (arr), name); }
