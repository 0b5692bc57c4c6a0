/*
 * sizeof of every basic type and the typedefs of D.
 * @quiet
 */
BEGIN
{
	printf("%d %d %d %d %d\n", sizeof (char), sizeof (short), sizeof (int), sizeof (long), sizeof (long long));
	printf("%d %d %d %d\n", sizeof (unsigned char), sizeof (unsigned short), sizeof (unsigned), sizeof (unsigned long));
	printf("%d %d %d\n", sizeof (float), sizeof (double), sizeof (_Bool));
	printf("%d %d %d\n", sizeof (void *), sizeof (char **), sizeof (int (*)(int)));
	printf("%d %d %d %d\n", sizeof (int8_t), sizeof (int16_t), sizeof (int32_t), sizeof (int64_t));
	printf("%d %d %d %d\n", sizeof (uint8_t), sizeof (uint16_t), sizeof (uint32_t), sizeof (uint64_t));
	printf("%d %d %d %d\n", sizeof (intptr_t), sizeof (uintptr_t), sizeof (size_t), sizeof (ssize_t));
	printf("%d %d %d %d\n", sizeof (uchar_t), sizeof (ushort_t), sizeof (uint_t), sizeof (ulong_t));
	printf("%d %d %d\n", sizeof (u_longlong_t), sizeof (pid_t), sizeof (ptrdiff_t));
	printf("%d %d %d\n", sizeof (int [10]), sizeof (int [2][3]), sizeof (char *[4]));
	printf("%d\n", sizeof (string));
}
