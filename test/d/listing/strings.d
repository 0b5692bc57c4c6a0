/* String variables: by reference, stored and loaded like any other. */
BEGIN { s = execname; self->t = "abc"; this->u = strjoin(s, self->t); trace(this->u); trace(s[0]); }
