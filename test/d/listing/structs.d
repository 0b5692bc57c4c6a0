/* Whole structures in variables; members of them. */
struct p { int x; int y; };
struct p g;
BEGIN { g = *(struct p *)arg0; g.y = 7; trace(g.x); trace(g); }
