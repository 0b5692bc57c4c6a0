BEGIN { self->x[1] = 2; trace(self->x); }
