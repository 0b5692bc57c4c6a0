/*
 * Folded and computed: unsigned arithmetic has 64 bits; a record wraps.
 * @quiet
 */
unsigned int z, o, big;
BEGIN
{
	z = 0; o = 1; big = 4294967295;
	printf("%u %u\n", 0u - 1, z - 1);
	printf("%u %u\n", 4294967295u + 1, big + o);
	printf("%u %u\n", 4294967295u * 4294967295u, big * big);
	printf("%u %u\n", -1u / 3, -o / 3);
	printf("%u %u\n", ~0u >> 4, ~z >> 4);
	printf("%u %u\n", 4294967295u % 10, big % 10);
}
