/* S C5: there is no $target */
BEGIN { trace(sizeof (struct pid`foo)); }
