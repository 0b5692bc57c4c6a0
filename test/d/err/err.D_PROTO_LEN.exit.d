/* N 3 */
BEGIN { exit(); }
