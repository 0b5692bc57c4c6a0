BEGIN { self->1 = 2; }
