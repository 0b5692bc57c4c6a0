/*
 * S C12: &a[n] is an address, one behind the end, too.
 * @quiet
 */
int a[3];
BEGIN { this->p = (int *)alloca(12); printf("%d %d\n", (long)&this->p[3] - (long)this->p, &a[3] - &a[0]); }
