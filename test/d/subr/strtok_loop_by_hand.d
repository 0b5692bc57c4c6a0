/*
 * Another string starts anew; no separators give the whole; only separators give NULL.
 * @quiet
 */
dtrace:::BEGIN
{
	printf("%s ", strtok("a b", " ")); printf("%s ", strtok("c d", " ")); printf("%s\n", strtok(NULL, " "));
	printf("%s %d\n", strtok("abc", ""), strtok("   ", " ") == NULL);
	printf("%d\n", strtok("", " ") == NULL);
}
