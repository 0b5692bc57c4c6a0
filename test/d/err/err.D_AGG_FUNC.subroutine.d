BEGIN { @a = strlen("a"); }
