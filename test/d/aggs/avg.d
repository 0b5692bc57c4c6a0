/* avg() divides the sum and truncates towards zero.
 * @fire: syscall::read:entry arg0=5
 * @fire: syscall::read:entry arg0=4
 * @fire: syscall::read:entry arg0=4
 */
syscall:::entry { @a["4.33"] = avg(arg0); @a["-4.33"] = avg(-arg0); @b = avg(arg0 * 1000000000000); }
END { printa("%@d %s\n", @a); }
