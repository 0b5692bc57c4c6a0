BEGIN { self->a["x"] = 1; self->a[1] = 1; }
