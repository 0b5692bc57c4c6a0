/* Adjacent strings are not joined. */
BEGIN { trace("a" "b"); }
