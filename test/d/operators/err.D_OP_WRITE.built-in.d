/* Built-in variables can only be read. */
BEGIN { pid = 1; }
