/* 2^64 in octal. */
BEGIN { trace(02000000000000000000000); }
