/* int64_t is what the operator gives: no pointer. */
BEGIN { trace(*self->p); }
