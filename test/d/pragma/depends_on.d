/*
 * @quiet
 */
#pragma D depends_on provider dtrace
dtrace:::BEGIN { printf("ok\n"); }
