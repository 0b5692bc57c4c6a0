/* @args: 0x10000000000000000 */
BEGIN { trace($1); }
