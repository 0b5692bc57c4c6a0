/*
 * Prototypes of functions are symbols: only their form is checked.
 * @quiet
 */
extern int printk(const char *, ...);
int notdefined(int a, char *b); void nothing(void);
BEGIN { printf("ok\n"); }
