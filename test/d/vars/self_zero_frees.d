/*
 * Storing 0 frees a thread variable: nothing is left of it.
 * @quiet
 * @show: vars
 * @fire: t:::a tid=1
 * @fire: t:::b tid=1
 * @fire: t:::c tid=1
 */
t:::a { self->a = 1; self->b = 2; self->s = "s"; self->keep = 5; }
t:::b { self->a = 0; self->b = self->keep - 5; self->s = 0; }
t:::c { printf("%d %d [%s] %d\n", self->a, self->b, self->s, self->keep); }
