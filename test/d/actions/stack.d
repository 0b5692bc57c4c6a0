/* stack() and ustack(): at most the frames asked for, newest first, indented; the process in ustack() is not shown.
 * @fire: dtrace:::BEGIN stack=0x1000,0x2000,0x3000 ustack=0x4000,0x5000,0x6000
 * @kernel: no, because the stack and its depth are told
 */
BEGIN { stack(); }
BEGIN { stack(2); trace("after"); }
BEGIN { ustack(1); }
BEGIN { ustack(2, 64); }
BEGIN { jstack(2); jstack(2, 0); }
BEGIN { trace(stackdepth); trace(ustackdepth); }
