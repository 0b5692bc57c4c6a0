/* Kernel symbols: an entry of their own in the integer table, filled in when the program is enabled (KREL). */
#pragma D option knodefs
extern int some_symbol;
extern struct list { struct list *next; int n; } some_list;
BEGIN { trace(some_symbol + 1); trace(&some_symbol); trace(some_list.n); trace(some_list.next->n); }
