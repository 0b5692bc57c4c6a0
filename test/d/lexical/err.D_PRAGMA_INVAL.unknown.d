/* An unknown D pragma. */
#pragma D nosuch thing
BEGIN { trace(1); }
