BEGIN /self->x/ { trace(1); }
