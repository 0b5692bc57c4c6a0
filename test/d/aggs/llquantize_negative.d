/* Negative data has its own buckets on the other side of zero.
 * @fire: syscall::read:entry arg0=-1
 * @fire: syscall::read:entry arg0=-15
 * @fire: syscall::read:entry arg0=5
 * @fire: syscall::read:entry arg0=-5000
 */
syscall:::entry { @a = llquantize(arg0, 10, 1, 2, 10); @b = llquantize(arg0, 10, 0, 1, 10); }
