/* An array is not assigned. */
struct s { int a[3]; };
BEGIN { this->p = (struct s *)alloca(12); this->p->a = this->p->a; }
