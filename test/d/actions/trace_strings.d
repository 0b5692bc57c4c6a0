/* trace() of strings, character arrays, structures, unions, arrays: text where it looks like text, else bytes.
 * @mem: kernel 0xffff800000001000 "text"
 * @mem: kernel 0xffff800000002000 u32 1 2 3 4
 * @mem: kernel 0xffff800000003000 "eight be"
 * @mem: user 0x1000 "user text"
 * @fire: dtrace:::BEGIN arg0=0xffff800000001000 arg1=0xffff800000002000 arg2=0xffff800000003000 arg3=0x1000
 */
struct pair { int a; int b; };
union either { int i; char c[8]; };
struct name { char text[8]; };
BEGIN { trace("abc"); trace(execname); trace(""); trace(probename); }
BEGIN { trace(*(struct pair *)arg1); }
BEGIN { trace(*(union either *)arg1); }
BEGIN { trace(((struct name *)arg2)->text); }
BEGIN { trace(stringof(arg0)); trace(copyinstr(arg3)); trace(copyinstr(arg3, 3)); }
BEGIN { trace(*(int *)arg1); trace(((int *)arg1)[3]); }
