/* Negative values go to the bucket whose value is next above them or equal.
 * @fire: syscall::read:entry arg0=-1
 * @fire: syscall::read:entry arg0=-2
 * @fire: syscall::read:entry arg0=-3
 * @fire: syscall::read:entry arg0=-5
 * @fire: syscall::read:entry arg0=2
 */
syscall:::entry { @ = quantize(arg0); @min = quantize((int64_t)1 << 63); @max = quantize(0x7fffffffffffffff); }
