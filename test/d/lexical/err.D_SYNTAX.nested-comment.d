/* Comments do not nest. */
/* a /* b */
BEGIN { trace(1); }
