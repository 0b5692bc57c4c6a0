BEGIN { @a[1] = count(); }
END { @a[1] = max(1); }
