/* String keys: padded to 50; longer ones are not cut; several; empty ones. Equal text from anywhere is one element.
 * @mem: kernel 0xffff800000001000 "read"
 * @mem: kernel 0xffff800000002000 "text\x00junk"
 * @fire: syscall::read:entry arg0=0xffff800000001000 arg1=0xffff800000002000
 */
struct name { char text[9]; };
syscall:::entry
{
	@a[execname, probefunc] = count();
	@b["read"] = count(); @b[stringof(arg0)] = count(); @b[probefunc] = count(); @b[""] = count();
	@c["a key of more than fifty characters, which does not fit its column"] = count();
	@d[((struct name *)arg1)->text] = count();
}
