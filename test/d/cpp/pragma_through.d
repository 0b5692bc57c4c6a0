/*
 * Pragmas and macro arguments pass the preprocessor.
 * @opt: cpp
 * @args: 5
 */
#pragma D option quiet
dtrace:::BEGIN { printf("%d\n", $1); }
