/* A range below zero, and a negative increment.
 * @fire: syscall::read:entry arg0=-15
 * @fire: syscall::read:entry arg0=-11
 * @fire: syscall::read:entry arg0=-30
 */
syscall:::entry { @a = lquantize(arg0, -20, -10, 5); @b = lquantize(arg0, -20, -10, 5, -1); }
