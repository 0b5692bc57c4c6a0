BEGIN { x = strlne("a"); }
