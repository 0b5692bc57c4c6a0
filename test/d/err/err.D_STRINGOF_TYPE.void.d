BEGIN { trace(stringof((void)0)); }
