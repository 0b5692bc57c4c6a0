BEGIN { @a = count(); denormalize(@a, 1); }
