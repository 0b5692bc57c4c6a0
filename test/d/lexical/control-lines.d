/*
 * Control lines that say nothing to the compiler.
 * @quiet
 */
#
#ident "some text"
#pragma ident "more text"
#pragma unknown words here
BEGIN
{
#
	printf("ok\n");
#pragma once
}
