/*
 * Missing and empty parts match anything; parts are counted from the right.
 * @quiet
 * @fire: t:m:f:n
 * @fire: u:m2:f2:n
 */
n { printf("1 %s\n", probeprov); }
f:n { printf("2 %s\n", probeprov); }
m:f:n { printf("3 %s\n", probeprov); }
t:m:f:n { printf("4 %s\n", probeprov); }
t::: { printf("5 %s\n", probeprov); }
:m2:: { printf("6 %s\n", probeprov); }
::f2: { printf("7 %s\n", probeprov); }
