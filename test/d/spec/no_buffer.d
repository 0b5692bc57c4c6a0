/* S A3: speculate() without a buffer ends the clause: of number 0, and of one that was discarded or committed.
 * @show: vars
 */
int a, b, c;
BEGIN { speculate(0); a = 1; }
BEGIN { s = speculation(); }
BEGIN { discard(s); }
BEGIN { speculate(s); b = 1; trace("never"); }
BEGIN { s = speculation(); }
BEGIN { commit(s); }
BEGIN { speculate(s); c = 1; }
