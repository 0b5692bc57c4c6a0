/* count() and sum(), without keys, and with; values in the default layout.
 * @fire: syscall::read:entry arg0=5
 * @fire: syscall::read:entry arg0=-7
 * @fire: syscall::write:entry arg0=100
 */
syscall:::entry { @ = count(); @n[probefunc] = count(); @s[probefunc] = sum(arg0); @c = sum((char)200); }
