/* S A3, P 4.13: a number that no speculation can have is an illegal operation. Negative ones are large.
 * @opt: nspec=3
 */
BEGIN { commit(0); n = 1; }
BEGIN { commit(4); n = 2; }
BEGIN { discard(1024); }
BEGIN { speculate(-1); trace("not reached"); }
BEGIN { commit(3); m = 3; }
END { trace(n); trace(m); }
