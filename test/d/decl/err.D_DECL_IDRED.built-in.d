/* Built-in names are taken. */
int pid;
BEGIN { trace(1); }
