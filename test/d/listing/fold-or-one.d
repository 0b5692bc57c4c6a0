/* Nothing after 1 || is compiled. */
BEGIN { trace(1 || pid); }
