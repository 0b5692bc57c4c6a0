/* %p is hexadecimal without 0x, of pointers and integers; %a names kernel addresses, 0x… when unknown.
 * @quiet
 */
BEGIN
{
	printf("[%p] [%#p] [%16p] [%p]\n", (void *)0x1234, (int *)0xffff800000001000, 0xabc, -1);
	printf("[%a] [%20a] [%-10a]\n", (void *)0x1234, (uintptr_t)0x1234, (void *)0x12);
	printf("[%?p]\n", (void *)0x1234);
	printf("[%a] [%A]\n", sym((uintptr_t)0x1234), usym((uintptr_t)0x5678));
	printf("[%A] [%a]\n", uaddr((uintptr_t)0x5678), mod((uintptr_t)0x1234));
}
