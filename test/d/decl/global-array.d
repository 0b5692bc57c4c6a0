/*
 * An array variable holds its elements.
 * @quiet
 */
int a[4]; char name[8]; short m[2][3];
BEGIN
{
	a[0] = 10; a[3] = 13; a[1] = a[0] + a[3]; a[2]++;
	printf("%d %d %d %d\n", a[0], a[1], a[2], a[3]);
	this->i = 3; a[this->i] -= 20; printf("%d\n", a[this->i]);
	m[1][2] = 5; m[0][0] = -1; printf("%d %d %d\n", m[1][2], m[0][0], m[0][2]);
	name[0] = 'h'; name[1] = 'i'; printf("%s %d\n", name, sizeof (name));
}
