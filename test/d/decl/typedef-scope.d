/*
 * A typedef may be used by the next declaration at once, also for keys and parameters.
 * @quiet
 */
typedef unsigned short port_t; typedef string name_t;
port_t p; name_t byport[port_t]; self port_t sp; inline port_t HTTP = 65536 + 80;
BEGIN
{
	p = HTTP; byport[p] = "http"; self->sp = -1;
	printf("%d %s %d [%s]\n", p, byport[80], self->sp, byport[81]);
}
