/* * needs numbers. */
BEGIN { trace((int *)8 * 2); }
