/*
 * NULL is the constant 0: for pointers, strings and integers, in tests and ?:.
 * @quiet
 */
int *p;
dtrace:::BEGIN
{
	printf("%d %d %d\n", p == NULL, NULL == p, sizeof (NULL));
	p = (int *)8; printf("%d\n", p != NULL); p = NULL; printf("%p %d\n", p, NULL);
	q = 1 ? p : NULL; printf("%p\n", q);
	s = arg0 == 7 ? "a" : NULL; printf("[%s]\n", s);
}
