/* An enumerator's value is a constant. */
enum e { A = pid };
BEGIN { trace(1); }
