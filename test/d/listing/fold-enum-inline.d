/* Enumerators and constant inlines fold. */
enum e { A = 5, B };
inline int N = B * 2;
BEGIN { trace(N + A); }
