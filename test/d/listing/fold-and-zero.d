/* Nothing after 0 && is compiled. */
BEGIN { trace(0 && pid); }
