/*
 * A list whose node points to its own type.
 * @quiet
 * @mem: kernel 0x1000 u64 1 0x2000
 * @mem: kernel 0x2000 u64 2 0x3000
 * @mem: kernel 0x3000 u64 3 0
 */
struct node { long v; struct node *next; };
BEGIN
{
	this->n = (struct node *)0x1000;
	printf("%d %d %d\n", this->n->v, this->n->next->v, this->n->next->next->v);
	printf("%d\n", this->n->next->next->next == NULL);
	this->n = this->n->next; printf("%d\n", this->n->v);
}
