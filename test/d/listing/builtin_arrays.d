/* args[] and uregs[] are built-in arrays, loaded by ldga. */
BEGIN { trace(uregs[3]); trace(uregs[arg0]); trace(arg3); }
