/* Calls with several arguments: all evaluated first, then pushed; by value and by reference; a call in a call. */
BEGIN { trace(substr(execname, 1, 2)); trace(strlen(strjoin("a", execname))); trace(index(execname, "x")); trace(copyinstr(arg0)); trace(rand()); }
