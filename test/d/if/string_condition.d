/*
 * @quiet
 * @fire: t:::a execname=sh
 * @fire: t:::a execname=ls
 */
t:::a { if (execname == "sh") { printf("shell\n"); } else { printf("%s\n", execname); } }
