/* S C5 */
BEGIN { trace((pid0`int)0); }
