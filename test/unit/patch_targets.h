/* SPDX-License-Identifier: BSD-2-Clause */
/* Where the branches of a file's code lead, in whatever function they are. Of one test program. */
#ifndef PATCH_TARGETS_H
#define PATCH_TARGETS_H

#include "file/elf.h"
#include "machine/machine.h"
#include "patch/patch.h"

#include <stdlib.h>

struct targets {
	uint64_t *v;
	size_t n, room;
	bool undecoded;			/* some are missing */
};

static void add_target(void *ctx, uint64_t from, uint64_t to)
{
	struct targets *t = ctx;

	(void)from;
	if (t->n == t->room) {
		t->room = t->room * 2 + 1024;
		t->v = realloc(t->v, t->room * sizeof(t->v[0]));
		if (t->v == NULL)
			abort();
	}
	t->v[t->n++] = to;
}

static int by_address(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* The file is loaded at `base`. */
static void find_targets(struct targets *t, struct dt_elf *elf, uint64_t base)
{
	const void *text;
	uint64_t addr;
	size_t len;

	if (dt_elf_section(elf, ".text", &text, &len, &addr) != 0)
		return;
	t->undecoded = dt_patch_targets(dt_machine_elf(dt_elf_machine(elf)), text, len, base + addr,
	    add_target, t) != 0;
	qsort(t->v, t->n, sizeof(t->v[0]), by_address);
}

/* Those in the function of a site. */
static void targets_of(const struct targets *t, struct dt_patch_site *site)
{
	size_t low = 0, high = t->n, n = 0;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (t->v[mid] < site->func_addr)
			low = mid + 1;
		else
			high = mid;
	}
	while (low + n < t->n && t->v[low + n] < site->func_addr + site->func_size)
		n++;
	site->targets = t->v + low;
	site->ntargets = (uint32_t)n;
}

#endif
