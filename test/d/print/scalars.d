/* print() of numbers, by type; characters as characters.
 * @kernel: no, because the time is told
 */
BEGIN { print(1); }
BEGIN { print((char)'a'); print((char)0); print((char)4); print((unsigned char)200); }
BEGIN { print((short)-1); print((unsigned int)255); print(-1L); print(0); }
BEGIN { print((void *)0); }
BEGIN { print("text"); print(execname); print(""); }
BEGIN { print(timestamp); print(pid); print(sizeof (int)); }
