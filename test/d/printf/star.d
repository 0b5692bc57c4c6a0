/* Width and precision from arguments: a negative width is left, a negative precision none.
 * @quiet
 */
BEGIN
{
	this->w = 6;
	printf("[%*d] [%-*d] [%*d]\n", 6, 42, this->w, 42, -6, 42);
	printf("[%.*d] [%*.*d] [%.*d]\n", 4, 42, 8, this->w - 3, 42, -1, 42);
	printf("[%*s] [%.*s] [%*.*s] [%-*s]\n", 6, "abc", 2, "abc", 6, 2, "abc", 5, "abc");
	printf("[%0*d] [%#*x]\n", 6, 42, 6, 42);
}
