/* An enumerator is a global name. */
int A; enum e { A };
BEGIN { trace(1); }
