/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The rows of a file while they are gathered, function by function, and as they are at the end: in the
 * order of their addresses, each different from the one before. Where functions lie over each other the
 * first one counts.
 */
#include "symbol/unwind_cfi.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* PADDING: what compilers may leave between functions, where nobody runs */
enum { ROWS_MAX = 1 << 24, PADDING = 16 };

int dt_cfi_begin(struct dt_cfi *c, uint64_t pc)
{
	if (c->ngroups == c->capgroups) {
		size_t cap = c->capgroups ? c->capgroups * 2 : 256;
		struct dt_cfi_group *more = realloc(c->group, cap * sizeof(*more));

		if (more == NULL)
			return -ENOMEM;
		c->group = more;
		c->capgroups = cap;
	}
	c->group[c->ngroups++] = (struct dt_cfi_group){ .pc = pc, .first = (uint32_t)c->n };
	return 0;
}

void dt_cfi_end(struct dt_cfi *c, uint64_t pc)
{
	struct dt_cfi_group *g = &c->group[c->ngroups - 1];

	g->n = (uint32_t)c->n - g->first;
	g->end = pc;
}

int dt_cfi_add(struct dt_cfi *c, uint64_t pc, const struct dt_unwind_rule *rule)
{
	if (c->n == c->cap) {
		size_t cap = c->cap ? c->cap * 2 : 1024;
		struct dt_cfi_row *more = c->n < ROWS_MAX ? realloc(c->row, cap * sizeof(*more)) : NULL;

		if (more == NULL)
			return -ENOMEM;
		c->row = more;
		c->cap = cap;
	}
	c->row[c->n++] = (struct dt_cfi_row){ pc, *rule };
	return 0;
}

/* ---- sorted ---- */

static int by_pc(const void *a, const void *b)
{
	const struct dt_cfi_group *x = a, *y = b;

	if (x->pc != y->pc)
		return x->pc < y->pc ? -1 : 1;
	return x->first < y->first ? -1 : x->first > y->first;
}

/* gap: from `behind` on nothing is known */
struct merged { struct dt_cfi_row *row; size_t n; uint64_t behind; bool gap; };

/*
 * The end of a function is told only when the next one is not at once behind it: nobody runs what is
 * between them.
 */
static void merge(struct merged *m, const struct dt_cfi_row *r)
{
	static const struct dt_unwind_rule none = { .cfa = DT_CFA_NONE };

	if (m->gap && r->pc > m->behind && r->pc - m->behind >= PADDING && m->n > 0 &&
	    m->behind > m->row[m->n - 1].pc)
		m->row[m->n++] = (struct dt_cfi_row){ m->behind, none };
	m->gap = false;
	if (m->n > 0 && r->pc < m->row[m->n - 1].pc)
		return;			/* functions that lie over each other */
	if (m->n > 0 && r->pc == m->row[m->n - 1].pc)
		m->n--;
	if (m->n > 0 && memcmp(&m->row[m->n - 1].rule, &r->rule, sizeof(r->rule)) == 0)
		return;
	m->row[m->n++] = *r;
}

void dt_cfi_finish(struct dt_cfi *c)
{
	/* an end may be a row too */
	struct merged m = { .row = malloc((c->n + c->ngroups + 1) * sizeof(*m.row)) };

	if (m.row == NULL)
		c->ngroups = 0;
	if (c->ngroups > 1)
		qsort(c->group, c->ngroups, sizeof(*c->group), by_pc);
	for (size_t i = 0; i < c->ngroups; i++) {
		for (uint32_t k = 0; k < c->group[i].n; k++)
			merge(&m, &c->row[c->group[i].first + k]);
		if (c->group[i].end != 0) {	/* not when memory ran out in it */
			m.gap = true;
			m.behind = c->group[i].end;
		}
	}
	if (m.gap && m.n > 0 && m.behind > m.row[m.n - 1].pc)
		m.row[m.n++] = (struct dt_cfi_row){ m.behind, { .cfa = DT_CFA_NONE } };
	free(c->row);
	free(c->group);
	c->row = m.row;
	c->n = m.n;
	c->group = NULL;
	c->cap = c->ngroups = c->capgroups = 0;
}

const struct dt_cfi_row *dt_cfi_at(const struct dt_cfi *c, uint64_t pc)
{
	size_t lo = 0, hi = c->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (c->row[mid].pc <= pc)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo > 0 ? &c->row[lo - 1] : NULL;
}

void dt_cfi_free(struct dt_cfi *c)
{
	free(c->row);
	free(c->group);
	*c = (struct dt_cfi){ 0 };
}
