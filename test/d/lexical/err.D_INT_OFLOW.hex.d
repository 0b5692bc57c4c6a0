/* 17 hex digits do not fit. */
BEGIN { trace(0x10000000000000000); }
