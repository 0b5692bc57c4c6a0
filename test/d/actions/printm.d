/* printm() prints the bytes memref() names.
 * @mem: kernel 0xffff800000001000 "raw bytes"
 * @fire: dtrace:::BEGIN arg0=0xffff800000001000
 */
BEGIN { printm(4, memref((void *)arg0, 4)); }
BEGIN { printm(16, memref((void *)arg0, 9)); }
