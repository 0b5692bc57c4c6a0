BEGIN { trace(vmregs[0]); }
