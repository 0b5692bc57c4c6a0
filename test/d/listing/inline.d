/* Inlines are their expression. */
inline int limit = 5;
inline string who = execname;
BEGIN /arg0 > limit/ { trace(who); trace(limit + 1); }
