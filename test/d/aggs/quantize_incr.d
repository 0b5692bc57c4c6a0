/* The increment: any number a time, also negative: bars to the left, or both ways.
 * @fire: syscall::read:entry arg0=1 arg1=10
 * @fire: syscall::read:entry arg0=2 arg1=-5
 * @fire: syscall::read:entry arg0=4 arg1=20
 */
syscall:::entry { @both = quantize(arg0, arg1); @neg = quantize(arg0, -3); @pos = quantize(arg0, arg0); }
