/*
 * @quiet
 */
dtrace:::BEGIN { trace(strtoll("1", 1)); }
dtrace:::BEGIN { trace(strtoll("1", 37)); }
