BEGIN { trace(self->x); }
