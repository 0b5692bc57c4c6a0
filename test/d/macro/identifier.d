/*
 * A text that is a name is that name: of a variable, a function or a type.
 * @quiet
 * @args: pid strlen int
 * @fire: t:::a pid=77
 */
t:::a { printf("%d %d %d\n", $1, $2("abc"), sizeof ($3)); }
