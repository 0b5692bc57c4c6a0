/* Symbols as keys; user ones belong to a process. %a and %A print them.
 * @fire: syscall::read:entry arg0=0x1000 pid=1
 * @fire: syscall::read:entry arg0=0x1000 pid=2
 * @fire: syscall::read:entry arg0=0x2000 pid=2
 */
syscall:::entry { @s[sym(arg0)] = count(); @m[mod(arg0)] = count(); @f[func(arg0)] = count(); @u[usym(arg0)] = count(); @a[uaddr(arg0), umod(arg0)] = count(); }
END { printa("%a %@d\n", @s); printa("%A %@d\n", @u); }
