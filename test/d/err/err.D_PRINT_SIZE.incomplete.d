struct nosuch *p;
BEGIN { print(*p); }
