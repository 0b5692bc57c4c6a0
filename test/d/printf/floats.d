/* Floating point objects in memory can be printed, though D does not calculate with them.
 * @quiet
 * @mem: kernel 0xffff800000001000 hex 00 00 00 00 00 00 f8 3f 00 00 20 c0
 * @fire: dtrace:::BEGIN arg0=0xffff800000001000
 */
BEGIN
{
	printf("[%f] [%e] [%E] [%g] [%G]\n", *(double *)arg0, *(double *)arg0, *(double *)arg0, *(double *)arg0, *(double *)arg0);
	printf("[%f] [%8.2f] [%-8.1f] [%+g]\n", *(float *)(arg0 + 8), *(float *)(arg0 + 8), *(float *)(arg0 + 8), *(double *)arg0);
}
