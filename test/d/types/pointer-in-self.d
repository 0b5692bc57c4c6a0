/*
 * A pointer kept in a variable is followed later.
 * @quiet
 * @mem: kernel 0x1000 u32 5 6
 * @fire: t:::in arg0=0x1000
 * @fire: t:::out
 */
struct s { int a, b; };
t:::in { self->p = (struct s *)arg0; }
t:::out /self->p/ { printf("%d %d\n", self->p->a, self->p->b); self->p = 0; }
t:::out /!self->p/ { printf("gone\n"); }
