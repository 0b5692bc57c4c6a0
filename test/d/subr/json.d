/*
 * @quiet
 */
dtrace:::BEGIN
{
	j = "{\"a\":1,\"b\":{\"c\":[10,\"x\",{\"d\":true}]},\"s\":\"q\\\"t\",\"n\":null}";
	printf("%s %s %s %s\n", json(j, "a"), json(j, "b.c[0]"), json(j, "b.c[1]"), json(j, "b.c[2].d"));
	printf("%s %s\n", json(j, "b.c[2]"), json(j, "n"));
	printf("%d %d\n", json(j, "zz") == NULL, json(j, "b.c[9]") == NULL);
	printf("%d\n", strtoll(json(j, "b.c[0]")) + 5);
}
