/*
 * printf(): one object a value, the format is not DIF.
 * @flags: -Z
 */
syscall::open:entry { printf("%s %s\n", execname, copyinstr(arg0)); }
