/* N2: a number that no speculation can have is an illegal operation in commit() and discard(). Negative ones are large.
 * In speculate() it drops the rest of the clause silently.
 * @opt: nspec=3
 */
int l;
BEGIN { commit(0); n = 1; }
BEGIN { commit(4); n = 2; }
BEGIN { discard(1024); }
BEGIN { discard(-1); trace("not reached"); }
BEGIN { speculate(-1); l = 1; trace("not reached"); }
BEGIN { speculate(3456710); l = 2; }
BEGIN { speculate(4); l = 3; }
BEGIN { commit(3); m = 3; }
END { trace(n); trace(m); trace(l); }
ERROR { errors++; }
END { trace(errors); }
