/* Stacks as keys: each on its own lines, the value below; same frames are the same element.
 * @fire: syscall::read:entry stack=0x1000,0x2000 ustack=0x3000,0x4000
 * @fire: syscall::read:entry stack=0x1000,0x2000 ustack=0x3000,0x5000
 * @fire: syscall::read:entry stack=0x1000,0x2008 ustack=0x3000,0x4000
 * @kernel: no, because the stacks that are its keys are told
 */
syscall:::entry { @k[stack()] = count(); @u[ustack(2)] = count(); @m[execname, stack(1), pid] = count(); @j[jstack(1)] = count(); }
END { printa("%@d%k", @k); printa("%s%k%d %@d\n", @m); }
