/* S C5 */
BEGIN { trace((pidfoo`int)0); }
