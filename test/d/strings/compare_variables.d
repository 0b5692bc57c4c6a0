/*
 * @quiet
 * @fire: t:::a execname=sh
 * @fire: t:::a execname=bash
 */
string s;
t:::a /execname == "bash"/ { printf("bash "); }
t:::a { s = execname; printf("%d %d %d %s\n", s == execname, execname < "c", s == "sh", execname != "sh" ? "no" : "yes"); }
