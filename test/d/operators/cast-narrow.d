/*
 * Casts to every integer type keep the low bits, with the target's sign.
 * @quiet
 */
BEGIN
{
	x = 0x123456789abcdef0;
	printf("%d %d %d %d\n", (char)x, (short)x, (int)x, (long)x);
	printf("%u %u %u %u\n", (unsigned char)x, (unsigned short)x, (unsigned int)x, (unsigned long)x);
	printf("%d %d %d %d\n", (int8_t)x, (int16_t)x, (int32_t)x, (int64_t)x);
	printf("%u %u %u %u\n", (uint8_t)x, (uint16_t)x, (uint32_t)x, (uint64_t)x);
	printf("%d %d\n", (_Bool)x, (_Bool)0);
}
