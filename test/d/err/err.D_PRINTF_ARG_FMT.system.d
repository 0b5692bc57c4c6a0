BEGIN { system(execname); }
