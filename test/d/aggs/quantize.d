/* quantize(): powers of two, one empty row on each side.
 * @fire: syscall::read:entry arg0=0
 * @fire: syscall::read:entry arg0=1
 * @fire: syscall::read:entry arg0=3
 * @fire: syscall::read:entry arg0=5
 * @fire: syscall::read:entry arg0=6
 * @fire: syscall::read:entry arg0=7
 * @fire: syscall::read:entry arg0=64
 */
syscall:::entry { @ = quantize(arg0); @k[probefunc, arg0 > 4] = quantize(arg0); }
