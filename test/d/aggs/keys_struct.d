/* Structures and arrays as keys: bytes; compared whole.
 * @mem: kernel 0xffff800000001000 u32 1 2 1 2 3 4
 * @fire: dtrace:::BEGIN arg0=0xffff800000001000
 */
struct pair { int a; int b; };
BEGIN
{
	@[*(struct pair *)arg0] = count();
	@[*(struct pair *)(arg0 + 8)] = count();
	@[*(struct pair *)(arg0 + 16)] = count();
	@x[((struct pair *)arg0)->a, ((struct pair *)arg0)[2].b] = sum(9);
}
