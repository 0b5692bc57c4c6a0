BEGIN { p = alloca(1000000000); }
