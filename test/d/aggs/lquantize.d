/* lquantize(): below, steps, above; a step of 1 by default; a limit that is not a multiple of the step is rounded down.
 * @fire: syscall::read:entry arg0=-5
 * @fire: syscall::read:entry arg0=0
 * @fire: syscall::read:entry arg0=9
 * @fire: syscall::read:entry arg0=10
 * @fire: syscall::read:entry arg0=25
 * @fire: syscall::read:entry arg0=100
 */
syscall:::entry { @a = lquantize(arg0, 0, 30, 10); @b = lquantize(arg0, 0, 25, 10); @c = lquantize(arg0, 8, 11); @d = lquantize(arg0, -10, 10, 5, 2); }
