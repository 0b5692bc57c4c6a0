BEGIN { @a = count(); tracemem(@a, 4); }
