syscall::$1: { trace(1); }
