/* print() with other actions around it, quiet.
 * @quiet
 */
BEGIN { trace("a"); print(7); trace("b"); printf("[%d]", 1); print((char)'x'); trace("end\n"); }
