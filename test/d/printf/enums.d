/* Enumerations and bit-fields are integers to printf().
 * @quiet
 * @mem: kernel 0xffff800000001000 u32 0x0000005f
 * @fire: dtrace:::BEGIN arg0=0xffff800000001000
 */
enum colour { RED = 3, GREEN = -1 };
struct bits { int low : 4; unsigned int high : 4; };
BEGIN
{
	printf("%d %d %x %i\n", RED, GREEN, (enum colour)255, (enum colour)-2);
	printf("%d %d %x %u\n", ((struct bits *)arg0)->low, ((struct bits *)arg0)->high, ((struct bits *)arg0)->low,
	    ((struct bits *)arg0)->low);
}
