/* %P is a port by its service name, %I an address as text.
 * @quiet
 */
BEGIN
{
	printf("[%P] [%8P] [%-8P]\n", (uint16_t)65432, (uint16_t)65432, (uint16_t)65432);
	printf("[%I] [%I]\n", "127.0.0.1", "not an address");
}
