string s;
BEGIN { s++; }
