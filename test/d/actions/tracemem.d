/* tracemem(): n bytes, or as many as the third argument says when that is less; 0 and more than n mean n.
 * @mem: kernel 0xffff800000001000 hex 2f 62 69 6e 2f 73 68 00 01 02 03 04 7e 7f 80 ff 41 42 43 44
 * @mem: user 0x1000 "in user space"
 * @fire: dtrace:::BEGIN arg0=0xffff800000001000 arg1=0x1000
 */
BEGIN { tracemem(arg0, 8); }
BEGIN { tracemem(arg0, 20); }
BEGIN { tracemem((void *)arg0, 16, 4); }
BEGIN { tracemem(arg0, 16, 0); }
BEGIN { tracemem(arg0, 4, 100); }
BEGIN { this->n = 3; tracemem(arg0, 20, this->n); trace("next"); }
BEGIN { tracemem(copyin(arg1, 14), 14); }
BEGIN { tracemem(arg0 + 4096, 8); }
