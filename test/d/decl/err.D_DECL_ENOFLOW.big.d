/* Enumerators are ints. */
enum e { A = 0x100000000 };
BEGIN { trace(1); }
