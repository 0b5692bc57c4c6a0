/* #error stops the compiler. */
#error not here
BEGIN { trace(1); }
