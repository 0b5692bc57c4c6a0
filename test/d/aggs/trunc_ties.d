/* Of equal values trunc() keeps the last by key, or the first when it keeps the smallest (S D1). */
BEGIN { @a[7] = count(); @a[3] = count(); @a[9] = count(); @a[1] = count(); @a[5] = count(); @a[3] = count(); trunc(@a, 3); }
BEGIN { @b["d"] = count(); @b["a"] = count(); @b["c"] = count(); @b["b"] = count(); trunc(@b, -2); }
