int x;
enum e { A = x };
