/* printa() without format: a newline, then the default layout. */
BEGIN { @a["x", 1] = sum(10); @a["y", 2] = sum(20); printa(@a); trace("after"); printa(@a); @b = count(); }
