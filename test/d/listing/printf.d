/* printf(): one object a value, the format is not DIF. */
syscall::open:entry { printf("%s %s\n", execname, copyinstr(arg0)); }
