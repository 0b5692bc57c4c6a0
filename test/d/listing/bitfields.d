/* Bit-fields: the unit is loaded, then shifted; a sign is spread, else masked. */
struct b { int s : 5; unsigned int u : 3; unsigned int v : 24; };
BEGIN { trace(((struct b *)arg0)->s); trace(((struct b *)arg0)->u); trace(((struct b *)arg0)->v); }
