/* min() and max() compare signed values.
 * @fire: syscall::read:entry arg0=5
 * @fire: syscall::read:entry arg0=-7
 * @fire: syscall::read:entry arg0=3
 */
syscall:::entry { @lo = min(arg0); @hi = max(arg0); @neg = max(-arg0); @u = min((uint32_t)arg0); }
