/* llquantize(): linear steps inside each power of the factor.
 * @fire: syscall::read:entry arg0=1
 * @fire: syscall::read:entry arg0=9
 * @fire: syscall::read:entry arg0=10
 * @fire: syscall::read:entry arg0=19
 * @fire: syscall::read:entry arg0=99
 * @fire: syscall::read:entry arg0=100
 * @fire: syscall::read:entry arg0=550
 * @fire: syscall::read:entry arg0=5000
 */
syscall:::entry { @a = llquantize(arg0, 10, 0, 2, 10); @b = llquantize(arg0, 10, 1, 2, 20); @c = llquantize(arg0, 2, 2, 6, 8, 3); }
