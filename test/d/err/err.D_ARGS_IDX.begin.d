/* P 4.10: BEGIN has no typed arguments. */
BEGIN { trace(args[0]); }
