/* Arrays of structures one element after the other; arrays of arrays; enumerations and pointers in structures.
 * @mem: kernel 0xffff800000001000 u32 1 2 3 4 5 6 7 8
 * @fire: dtrace:::BEGIN arg0=0xffff800000001000
 */
struct p { int x; int y; };
struct many { struct p p[2]; };
struct grid { int g[2][2]; };
enum on { OFF, ON };
struct mixed { enum on e; enum on f; int *ip; int (*fn)(int); };
BEGIN { print(*(struct many *)arg0); }
BEGIN { print(*(struct grid *)arg0); }
BEGIN { print(*(struct mixed *)arg0); }
