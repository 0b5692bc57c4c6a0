/*
 * Sources that are integers and structs.
 * @quiet
 */
typedef struct fdinfo { int fd; int next; } fdinfo_x;
struct pair { int x; int y; };
struct sum { long s; };
translator fdinfo_x < int F > { fd = F; next = F + 1; };
translator struct sum < struct pair p > { s = p.x + p.y; };
struct pair v;
dtrace:::BEGIN
{
	printf("%d %d\n", xlate <fdinfo_x>(7).fd, xlate <fdinfo_x>(arg0 + 1).next);
	v.x = 40; v.y = 2; printf("%d\n", xlate <struct sum>(v).s);
}
