/* A pointer prints its address and what it points to.
 * @mem: kernel 0xffff800000001000 u32 1 2 3 4
 * @fire: dtrace:::BEGIN arg0=0xffff800000001000
 */
struct p { int x; int y; };
BEGIN { print((struct p *)arg0); }
BEGIN { print((int *)arg0); }
BEGIN { print((struct p *)arg0 + 1); }
BEGIN { this->p = (struct p *)arg0; print(this->p); print(this->p->y); print(*this->p); }
