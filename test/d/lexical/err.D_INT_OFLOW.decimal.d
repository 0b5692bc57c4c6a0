/* 2^64 does not fit. */
BEGIN { trace(18446744073709551616); }
