/* The kernel lets no tracing program change registers. */
BEGIN { uregs[0] = 1; }
