/* Globals, thread-locals and clause-locals; the table says which were read and written. */
BEGIN { x = arg0; self->y = x; this->z = self->y; }
BEGIN { trace(x + self->y + this->z); }
