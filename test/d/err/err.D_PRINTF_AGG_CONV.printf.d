BEGIN { @a = count(); printf("%@d", 1); }
