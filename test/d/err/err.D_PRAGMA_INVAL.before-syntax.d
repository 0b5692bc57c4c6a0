/* N16: a pragma that cannot be right is told before an error behind it */
inline int foo

#pragma D attributes incorrect_attr foo

BEGIN { exit(0); }
