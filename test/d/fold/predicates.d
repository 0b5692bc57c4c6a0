/*
 * Constant predicates hold always or never.
 * @quiet
 */
BEGIN /1/ { printf("one\n"); }
BEGIN /0/ { printf("zero\n"); }
BEGIN /1 - 1 || sizeof (int) == 4/ { printf("computed\n"); }
BEGIN /-1/ { printf("minus one\n"); }
BEGIN /0x100000000/ { printf("high bits\n"); }
BEGIN /NULL/ { printf("null\n"); }
