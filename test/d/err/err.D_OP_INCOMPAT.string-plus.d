/* N 3 */
BEGIN { x = "a" + "b"; }
