this int x;
this string x;
