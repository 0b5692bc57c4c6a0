/*
 * Fields that would cross their type's unit start a new one; unnamed fields are gaps.
 * @quiet
 */
struct a { int x:20; int y:20; };
struct b { char c; int x:8; };
struct c { unsigned x:4; unsigned :4; unsigned y:8; };
struct d { short a:9; short b:9; };
BEGIN
{
	printf("%d %d %d %d\n", sizeof (struct a), sizeof (struct b), sizeof (struct c), sizeof (struct d));
	this->c = (struct c *)alloca(4); *(int *)this->c = 0; this->c->x = 15; this->c->y = 0xff; printf("%x\n", *(int *)this->c);
	this->b = (struct b *)alloca(4); *(int *)this->b = 0; this->b->x = -1; printf("%x\n", *(int *)this->b);
}
