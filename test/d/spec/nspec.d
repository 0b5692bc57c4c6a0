/* -x nspec=3: several at once, committed in any order.
 * @opt: nspec=3
 */
BEGIN { this->a = speculation(); this->b = speculation(); a = this->a; b = this->b; c = speculation(); d = speculation(); }
BEGIN { printf("%d %d %d %d", a, b, c, d); }
BEGIN { speculate(a); trace("a1"); }
BEGIN { speculate(b); trace("b1"); }
BEGIN { speculate(a); trace("a2"); }
BEGIN { speculate(c); trace("c1"); }
BEGIN { commit(b); }
BEGIN { commit(a); }
BEGIN { discard(c); }
BEGIN { commit(c); }
