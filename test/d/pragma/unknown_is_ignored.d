/*
 * Pragmas of others, #ident and lone # say nothing to D.
 * @quiet
 */
#pragma ident "x"
#pragma weak foo
#ident "@(#)x"
#
#pragma once
dtrace:::BEGIN { printf("ok\n"); }
