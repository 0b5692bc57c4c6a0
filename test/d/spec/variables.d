/* Speculating concerns records only: variables and exit are not undone.
 * @show: vars
 */
int n;
BEGIN { s = speculation(); }
BEGIN { speculate(s); n = n + 1; trace(n); }
BEGIN { discard(s); }
END { trace(n); }
