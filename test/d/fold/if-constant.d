/*
 * if with a constant condition runs one arm.
 * @quiet
 */
BEGIN
{
	if (0) { printf("no\n"); } else { printf("else\n"); }
	if (1) { printf("then\n"); } else { printf("no\n"); }
	if (sizeof (long) == 8 && !0) printf("64\n");
	if (2 - 2) printf("no\n");
}
