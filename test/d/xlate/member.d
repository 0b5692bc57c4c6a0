/*
 * Members of a translation, by value and by pointer; only what is read is evaluated.
 * @quiet
 * @mem: kernel 0x1000 u32 10 20
 */
struct raw { int a; int b; };
struct nice { int sum; int a; string text; int bad; };
translator struct nice < struct raw *r > { sum = r->a + r->b; a = r->a; text = "txt"; bad = *(int *)8; };
dtrace:::BEGIN
{
	this->r = (struct raw *)0x1000;
	printf("%d %d %s\n", xlate <struct nice>(this->r).sum, xlate <struct nice>(this->r).a,
	    xlate <struct nice>(this->r).text);
	printf("%d %s\n", xlate <struct nice *>(this->r)->sum, xlate <struct nice *>(this->r)->text);
}
dtrace:::BEGIN { trace(xlate <struct nice>((struct raw *)0x1000).bad); }
