/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The rows of a file while they are gathered, function by function, and as they are at the end: in the
 * order of their addresses, each different from the one before. Where functions lie over each other the
 * first one counts.
 */
#include "file/cfi.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/*
 * PADDING: what compilers may leave between functions, where no code runs. FIRST_RULES: most files have
 * fewer.
 */
enum { ROWS_MAX = 1 << 28, PADDING = 16, FIRST_RULES = 256 };

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
	c->group[c->ngroups++] = (struct dt_cfi_group){ .pc = pc, .first = (uint32_t)c->nraw };
	return 0;
}

void dt_cfi_end(struct dt_cfi *c, uint64_t pc)
{
	struct dt_cfi_group *g = &c->group[c->ngroups - 1];

	g->n = (uint32_t)c->nraw - g->first;
	g->end = pc;
}

/* ---- rules ---- */

/* Where the number of the rule is in the table, or is to be. */
static uint32_t *slot_of(const struct dt_cfi *c, const struct dt_unwind_rule *rule)
{
	uint32_t mask = 2 * c->caprules - 1, at;
	uint64_t half[2];

	_Static_assert(sizeof(half) == sizeof(*rule), "a rule is two words");
	memcpy(half, rule, sizeof(half));
	at = (uint32_t)((half[0] ^ half[1] * 0x9e3779b97f4a7c15u) * 0xd6e8feb86659fd93u >> 32);
	while (c->slot[at & mask] != 0 && memcmp(&c->rule[c->slot[at & mask]], rule, sizeof(*rule)) != 0)
		at++;
	return &c->slot[at & mask];
}

static bool more_rules(struct dt_cfi *c)
{
	uint32_t cap = c->caprules != 0 ? c->caprules * 2 : FIRST_RULES;
	struct dt_unwind_rule *rule = realloc(c->rule, cap * sizeof(*rule));
	uint32_t *slot = rule != NULL ? calloc(2 * (size_t)cap, sizeof(*slot)) : NULL;

	if (rule != NULL)
		c->rule = rule;
	if (slot == NULL)
		return false;
	free(c->slot);
	c->slot = slot;
	c->caprules = cap;
	if (c->nrules == 0)
		c->rule[c->nrules++] = (struct dt_unwind_rule){ .cfa = DT_CFA_NONE };
	for (uint32_t i = 1; i < c->nrules; i++)
		*slot_of(c, &c->rule[i]) = i;
	return true;
}

/* Its number; 0 also if there are more than a whole machine may have. */
static int number_rule(struct dt_cfi *c, const struct dt_unwind_rule *rule, uint32_t *number)
{
	uint32_t *slot;

	if (c->nrules == c->caprules && !more_rules(c))
		return -ENOMEM;
	*number = 0;
	if (rule->cfa == DT_CFA_NONE)
		return 0;
	slot = slot_of(c, rule);
	if (*slot == 0 && c->nrules < DT_UNWIND_RULES) {
		c->rule[c->nrules] = *rule;
		*slot = c->nrules++;
	}
	*number = *slot;
	return 0;
}

int dt_cfi_add(struct dt_cfi *c, uint64_t pc, const struct dt_unwind_rule *rule)
{
	uint64_t off = c->ngroups > 0 ? pc - c->group[c->ngroups - 1].pc : 0;
	uint32_t number;

	if (c->ngroups == 0)
		return 0;		/* a CIE that moves on belongs to no function */
	if (c->nraw == c->capraw) {
		size_t cap = c->capraw ? c->capraw * 2 : 1024;
		struct dt_cfi_raw *more = c->nraw < ROWS_MAX ? realloc(c->raw, cap * sizeof(*more)) : NULL;

		if (more == NULL)
			return -ENOMEM;
		c->raw = more;
		c->capraw = cap;
	}
	if (number_rule(c, rule, &number) != 0)
		return -ENOMEM;
	c->raw[c->nraw++] = (struct dt_cfi_raw){ off < UINT32_MAX ? (uint32_t)off : UINT32_MAX, number };
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

/* gap: from `after` on nothing is known */
struct merged { struct dt_cfi *c; uint64_t last, after; bool gap; };

/* What is further from the first row than a row can say is left out. */
static void append(struct merged *m, uint64_t pc, uint32_t rule)
{
	struct dt_cfi *c = m->c;

	if (c->n == 0)
		c->base = pc;
	if (pc - c->base > UINT32_MAX)
		return;
	c->row[c->n++] = (struct dt_unwind_row){ (uint32_t)(pc - c->base), rule };
	m->last = pc;
}

/*
 * The end of a function is emitted only when the next one does not follow at once: no code runs in what is
 * between them.
 */
static void merge(struct merged *m, uint64_t pc, uint32_t rule)
{
	struct dt_cfi *c = m->c;

	if (m->gap && pc > m->after && pc - m->after >= PADDING && c->n > 0 && m->after > m->last)
		append(m, m->after, 0);
	m->gap = false;
	if (c->n > 0 && pc < m->last)
		return;			/* functions that lie over each other */
	if (c->n > 0 && pc == m->last)
		c->n--;
	if (c->n == 0 || c->row[c->n - 1].rule != rule)
		append(m, pc, rule);
}

/* Linkers mostly write functions in their order. */
static bool in_order(const struct dt_cfi *c)
{
	for (size_t i = 1; i < c->ngroups; i++)
		if (c->group[i].pc < c->group[i - 1].pc)
			return false;
	return true;
}

static void merge_all(struct dt_cfi *c)
{
	struct merged m = { .c = c };

	for (size_t i = 0; i < c->ngroups; i++) {
		for (uint32_t k = 0; k < c->group[i].n; k++)
			merge(&m, c->group[i].pc + c->raw[c->group[i].first + k].off,
			    c->raw[c->group[i].first + k].rule);
		if (c->group[i].end != 0) {	/* not when memory ran out in it */
			m.gap = true;
			m.after = c->group[i].end;
		}
	}
	if (m.gap && c->n > 0 && m.after > m.last)
		append(&m, m.after, 0);
}

void dt_cfi_finish(struct dt_cfi *c)
{
	c->row = malloc((c->nraw + c->ngroups + 1) * sizeof(*c->row));	/* an end may be a row too */
	c->n = 0;
	if (c->row != NULL && !in_order(c))
		qsort(c->group, c->ngroups, sizeof(*c->group), by_pc);
	if (c->row != NULL)
		merge_all(c);
	free(c->raw);
	free(c->group);
	free(c->slot);
	c->raw = NULL;
	c->group = NULL;
	c->slot = NULL;
	c->nraw = c->capraw = c->ngroups = c->capgroups = 0;
}

const struct dt_unwind_row *dt_cfi_at(const struct dt_cfi *c, uint64_t pc)
{
	size_t lo = 0, hi = c->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (c->base + c->row[mid].pc <= pc)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo > 0 ? &c->row[lo - 1] : NULL;
}

void dt_cfi_free(struct dt_cfi *c)
{
	if (!c->borrowed) {
		free(c->row);
		free(c->rule);
	}
	free(c->digest);
	free(c->slot);
	free(c->raw);
	free(c->group);
	*c = (struct dt_cfi){ 0 };
}
