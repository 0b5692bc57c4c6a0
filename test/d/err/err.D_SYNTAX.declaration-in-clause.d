/* N 3 */
BEGIN { int x = 1; }
