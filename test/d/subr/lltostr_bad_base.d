/*
 * @quiet
 */
dtrace:::BEGIN { trace(lltostr(1, 1)); }
dtrace:::BEGIN { trace(lltostr(1, 37)); }
dtrace:::BEGIN { trace(lltostr(1, 36)); }
