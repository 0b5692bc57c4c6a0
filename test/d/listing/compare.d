/* Signed and unsigned comparisons branch differently. */
BEGIN { trace(arg0 < arg1); trace(timestamp < 5); trace(arg0 >= 0); trace(pid != 0); trace(curthread == 0); }
