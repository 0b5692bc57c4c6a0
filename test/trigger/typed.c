/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions with arguments of many types, for provider_pid_types.sh: debugging data describe them. */
#include <stdio.h>

#ifdef __clang__
#define APART __attribute__((noinline))
#else
#define APART __attribute__((noinline, noclone))
#endif

enum colour { RED, GREEN = 7 };
struct inner { short a; unsigned flag : 3, rest : 5; };
struct item {
	char name[16];
	int price;
	const char *label;
	struct inner in;
	struct item *next;
	union { int i; float f; } u;
};
typedef struct item item_t;

#define STAYS __asm__ volatile("" ::: "memory")	/* the call is not computed beforehand */

APART int sell(const item_t *item, int n, unsigned char c, enum colour col)
{
	STAYS;
	return item->price * n - c * (int)col;
}

APART long mixed(int a, double d, long b, const char *s) { STAYS; return a + (long)d + b + s[0]; }
APART long whole(struct inner by_value, int after) { STAYS; return by_value.a + after; }
APART item_t *pick(item_t *from) { STAYS; return from->next; }
APART signed char small(int n) { STAYS; return (signed char)n; }

int main(void)
{
	item_t b = { "bread", 4, "loaf", { -2, 5, 9 }, NULL, { 3 } };
	item_t a = { "apple", -30, "red one", { -7, 3, 17 }, &b, { 11 } };

	printf("%d %ld %ld %s %d\n", sell(&a, -2, 250, GREEN), mixed(-1, 2.5, -3000000000, "hi"),
	    whole(b.in, 1), pick(&a)->name, small(-5));
	return 0;
}
