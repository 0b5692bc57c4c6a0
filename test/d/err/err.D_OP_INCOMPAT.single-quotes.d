/* N 3 */
BEGIN /execname == 'bash'/ { }
