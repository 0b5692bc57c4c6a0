/*
 * A member's value is converted to the member's type.
 * @quiet
 */
struct out { char c; uint16_t h; long l; char *p; string s; };
translator struct out < int x > { c = x; h = x; l = x; p = (char *)16; s = execname; };
dtrace:::BEGIN
{
	printf("%d %d %d %p %s\n", xlate <struct out>(0x123ff).c, xlate <struct out>(0x123ff).h, xlate <struct out>(-1).l,
	    xlate <struct out>(1).p, xlate <struct out>(1).s);
	printf("%d %d\n", sizeof (xlate <struct out>(1).c), sizeof (xlate <struct out>(1).h));
}
