/* S 3 */
BEGIN { x = (int)trace(1); }
