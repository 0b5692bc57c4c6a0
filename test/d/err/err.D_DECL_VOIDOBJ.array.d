void x[3];
