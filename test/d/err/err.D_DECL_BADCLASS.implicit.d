/* S C6 */
register x;
BEGIN { }
