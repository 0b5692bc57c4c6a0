/*
 * @tool: interp
 */
#line 50 "other.d"
dtrace:::BEGIN
{
	trace(nosuch);
}
