self void x;
