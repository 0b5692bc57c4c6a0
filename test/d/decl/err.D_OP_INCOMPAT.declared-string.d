/* A declared type is kept. */
string s;
BEGIN { s = 5; }
