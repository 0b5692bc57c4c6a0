/*
 * A clause-local array; its elements are gone at the next firing.
 * @quiet
 * @fire: t:::go
 * @fire: t:::go
 */
this int a[4];
t:::go { this->a[1] += 2; this->a[3] = this->a[1] * 3; printf("%d %d %d\n", this->a[0], this->a[1], this->a[3]); }
