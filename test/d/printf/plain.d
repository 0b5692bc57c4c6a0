/* Text only; escapes; a format may have no conversion at all. */
BEGIN
{
	printf("plain");
	printf("\ttab \"quote\" \\ %%\n");
	printf("\x41\102\n");
}
