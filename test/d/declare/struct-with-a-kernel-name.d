/*
 * In its own body a struct's name means itself, also where the kernel has a struct of that name.
 * @quiet
 */
struct list_head { struct list_head *next; int x; } *p;
BEGIN { printf("%d %d\n", sizeof (*p->next), offsetof(struct list_head, x)); }
