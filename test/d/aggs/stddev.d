/* stddev(): the square root of the mean of the squares less the square of the mean, truncated.
 * @fire: syscall::read:entry arg0=1
 * @fire: syscall::read:entry arg0=5
 * @fire: syscall::read:entry arg0=9
 * @fire: syscall::read:entry arg0=-3
 */
syscall:::entry { @["1 5 9 -3"] = stddev(arg0); @["twice"] = stddev(arg0 * 2); @["large"] = stddev(arg0 * 4000000000); @["same"] = stddev(7); }
