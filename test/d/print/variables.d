/* Values held in variables print like any others.
 * @mem: kernel 0xffff800000001000 u32 1 2 3 4
 * @fire: dtrace:::BEGIN arg0=0xffff800000001000
 */
struct p { int x; int y; };
struct p whole;
int64_t number;
string text;
BEGIN { whole = *(struct p *)arg0; number = -2; text = "abc"; }
BEGIN { print(whole); }
BEGIN { print(number); print(text); print(whole.y); }
