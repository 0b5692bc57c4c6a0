/*
 * BEGIN, END and their order; a probe can be given with and without its provider.
 * @quiet
 */
END { printf("end\n"); }
BEGIN { printf("begin\n"); }
dtrace:::BEGIN { printf("begin again\n"); }
