/*
 * Members of structs kept in associative arrays.
 * @quiet
 */
struct s { int a, b; };
struct s m[string];
BEGIN
{
	m["x"].a = 1; m["x"].b = 2; m["y"].a = 3;
	printf("%d %d %d %d\n", m["x"].a, m["x"].b, m["y"].a, m["y"].b);
	m["x"].a += 10; m["x"].b++; printf("%d %d\n", m["x"].a, m["x"].b);
	m["y"] = m["x"]; printf("%d %d\n", m["y"].a, m["y"].b);
	m["x"] = 0; printf("%d %d\n", m["x"].a, m["y"].a);
}
