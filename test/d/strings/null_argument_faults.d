/*
 * A subroutine given a NULL string faults: there is nothing at address 0.
 * @quiet
 */
string n;
dtrace:::BEGIN { n = NULL; trace(strlen(n)); }
dtrace:::BEGIN { trace(strjoin("a", n)); }
dtrace:::BEGIN { trace(strlen(strchr("abc", 'z'))); }
dtrace:::BEGIN { n = ""; trace(strlen(n)); }
