/* One storage class at most. */
extern typedef int x;
BEGIN { trace(1); }
