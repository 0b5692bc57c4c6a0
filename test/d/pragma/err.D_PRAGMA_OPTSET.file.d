/*
 * A program that needs no -w may not have root write a file: a format is chosen without one (issue 13, attack 1).
 */
#pragma D option oformat=record=/dev/null
dtrace:::BEGIN { }
