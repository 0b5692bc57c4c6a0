/* rawbytes: bytes are dumped even when they look like text.
 * @opt: rawbytes
 * @mem: kernel 0xffff800000003000 "eight b"
 * @fire: dtrace:::BEGIN arg2=0xffff800000003000
 */
struct name { char text[8]; };
BEGIN { trace(*(struct name *)arg2); }
BEGIN { trace(((struct name *)arg2)->text); trace("a string"); }
