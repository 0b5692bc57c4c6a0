/*
 * One clause is one line, whatever its branches recorded.
 * @fire: t:m:f:n arg0=1
 * @fire: t:m:f:n arg0=0
 */
t:::n { trace(1); if (arg0) { trace(2); trace("two"); } else { trace("none"); } trace(3); }
