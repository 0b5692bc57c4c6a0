/* Operators on 64 bits; the sign of division, remainder and right shift; registers from the lowest. */
BEGIN { trace(arg0 + arg1 * arg2 - arg3); }
BEGIN { trace(arg0 / arg1); trace(timestamp / 1000); trace(arg0 % arg1); trace(timestamp % 1000); }
BEGIN { trace(arg0 << 3); trace(arg0 >> 3); trace(timestamp >> 3); trace(arg0 & arg1 | arg2 ^ arg3); }
BEGIN { trace(-arg0); trace(~arg0); trace(+arg0); }
