/* N16: a prototype of a built-in function is no error; the pragma names "func;" */
void func(int, int);

#pragma D attributes Stable/Stable/Common func;

BEGIN { exit(0); }
