/* Aggregating under predicates and over threads: all threads share one.
 * @fire: syscall::read:entry tid=1 cpu=0 arg0=1
 * @fire: syscall::read:entry tid=2 cpu=1 arg0=2
 * @fire: syscall::read:entry tid=1 cpu=0 arg0=3
 */
syscall:::entry /arg0 > 1/ { @[tid] = sum(arg0); @all = sum(arg0); }
