/*
 * A string of every printable kind; sizeof counts the NUL.
 * @quiet
 */
BEGIN
{
	printf("%s\n", "~!@#$^&*()_+{}|:<>?`-=[];',./");
	printf("%d %d\n", sizeof (""), sizeof ("abc"));
	printf("%s\n", "/* no comment */ // nor this");
	printf("%s\n", "$1 is not expanded");
}
