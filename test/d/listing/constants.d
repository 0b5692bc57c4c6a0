/* Constants fold; equal ones share an entry; string constants. */
BEGIN { trace(1 + 2 * 3); trace(sizeof (int)); trace((char)300); trace(0); trace("text"); trace(-1); }
BEGIN { trace(arg0 + 7 + (arg1 + 7)); }
