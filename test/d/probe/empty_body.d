/*
 * No statement: only the firing is shown.
 * @fire: t:m:f:n
 */
t:m:f:n { }
t:m:f:n { ; }
t:m:f:n /0/ { }
