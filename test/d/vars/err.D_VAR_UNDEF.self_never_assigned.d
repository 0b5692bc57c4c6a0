dtrace:::BEGIN { trace(self->nothing); }
