/* N22: nspec=0 is none, not one.
 * @opt: nspec=0
 */
int n;
BEGIN { s = speculation(); trace(s); }
BEGIN { speculate(1); n = 1; trace("never"); }
BEGIN { commit(1); n = 2; }
BEGIN { trace(n); }
