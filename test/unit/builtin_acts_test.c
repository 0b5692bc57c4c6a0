/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The rows of actions and aggregating functions: each has every part that a stage asks for, says what
 * it is in one line, and is found by its name and by its kind. R 4.1 (9): an aggregating function
 * without code for the kernel once counted nothing and refused nothing.
 */
#include "check.h"

#include "dif/action.h"

#include <stdio.h>
#include <string.h>

static bool has(bool part, const char *name, const char *what)
{
	if (!part)
		fprintf(stderr, "%s has no %s\n", name, what);
	return CHECK(part);
}

/* The rows that D sees: what the compiler needs of each. */
static void names(const struct dt_builtin *row, const char *kind, uint8_t bkind, unsigned id)
{
	for (; row && row->name; row++) {
		has(dt_builtin_find(row->name) == row, row->name,
		    "place in the table, or another row has its name");
		has(row->proto != NULL, row->name, "prototype");
		has(row->doc != NULL && *row->doc && strlen(row->doc) < 100 && !strchr(row->doc, '\n'),
		    row->name, "line of documentation");
		has(row->kind == bkind && row->id == id, row->name, kind);
		if (row->unsupported == NULL)
			has(bkind == DT_BI_ACTION ? row->compile != NULL : row->aggregate != NULL, row->name,
			    "function that compiles it");
	}
}

static void action(const struct dt_actrule *rule, unsigned kind, const struct dt_action *a)
{
	bool library = kind >= DT_LIB_KIND(0), told = !(a->facts & DT_AF_SILENT);

	names(a->names, "kind that is its own", DT_BI_ACTION, library ? DT_ACT_LIBACT : kind);
	if (a->names && a->names[0].flags & DT_BF_KEY) {
		has(rule->flags & DT_AR_KEY, rule->name, "KEY among its rules");
		has(a->keytype != 0, rule->name, "keytype");
	}
	has(a->size != NULL, rule->name, "size");
	has(a->lower != NULL, rule->name, "lower");
	has(a->bytes != NULL, rule->name, "bytes");
	has(a->value != NULL, rule->name, "value");
	has(!told || a->text != NULL, rule->name, "text");
	has(!told || a->json != NULL, rule->name, "json");
	has(!told || a->shape != DT_SHAPE_UNSAID, rule->name, "shape");
}

static void actions(void)
{
	unsigned n = 0;

	for (unsigned kind = 0; kind <= DT_LIB_KIND(0xf); kind++) {
		const struct dt_actrule *rule = dt_actrule_of(kind);

		if (rule == NULL || DT_ACT_IS_AGG(kind))
			continue;
		n++;
		if (has(dt_actions[DT_ACT_INDEX(kind)] != NULL, rule->name, "struct dt_action"))
			action(rule, kind, dt_actions[DT_ACT_INDEX(kind)]);
	}
	CHECK(n >= 35);
	for (unsigned i = 0; i < DT_ACT_INDICES; i++)
		n -= dt_actions[i] != NULL;
	CHECK_INT(n, 0);
}

/* Merging in any order gives the same, and what has seen nothing changes nothing. */
static void merges(const char *name, const struct dt_aggfunc *f, uint64_t arg)
{
	static int64_t a[4096], b[4096], all[4096], none[4096];
	static const int64_t values[] = { 0, 1, -1, 7, 1000, -100000, INT64_MAX, INT64_MIN, 123456789, 42 };
	uint32_t n = f->nwords(arg);

	if (!has(n > 0 && n <= 4096, name, "reasonable number of words"))
		return;
	f->init(a, arg);
	f->init(b, arg);
	f->init(all, arg);
	f->init(none, arg);
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		f->add(i % 3 ? a : b, arg, values[i], 1);
		f->add(all, arg, values[i], 1);
	}
	f->merge(a, arg, b);
	f->merge(a, arg, none);
	f->merge(none, arg, all);
	has(memcmp(a, all, n * sizeof(*a)) == 0, name, "merge that agrees with add");
	has(memcmp(none, all, n * sizeof(*a)) == 0, name, "init that merge starts from");
	if (f->decode) {	/* words of the kernel begin as zeros */
		memset(b, 0, sizeof(b));
		f->decode(b, arg);
		has(memcmp(b, none, n * sizeof(*b)) != 0, name, "decode of its own");
	}
}

static uint64_t some_parameters(uint16_t kind)
{
	switch (kind) {
	case DT_ACT_LQUANTIZE: return 10ull << 48 | 20ull << 32 | (uint32_t)-50;
	case DT_ACT_LLQUANTIZE: return 10ull << 48 | 0ull << 32 | 6ull << 16 | 20;
	default: return 0;
	}
}

static void aggregating(const struct dt_actrule *rule, const struct dt_aggfunc *f)
{
	uint64_t arg = some_parameters(rule->kind);

	names(f->names, "kind that is its own", DT_BI_AGGFUNC, rule->kind);
	has(f->names && f->names[0].name && strcmp(f->names[0].name, rule->name) == 0 && !f->names[1].name,
	    rule->name, "one name");
	has(f->good == NULL || (f->good(arg) && !f->good(0)), rule->name, "check of its parameters");
	has(f->lower != NULL, rule->name, "lower");
	has(f->seen != DT_SEEN_UNSAID, rule->name, "seen");
	has(f->compare != NULL, rule->name, "compare");
	has(f->text != NULL, rule->name, "text");
	has(f->json != NULL, rule->name, "json");
	if (has(f->nwords && f->init && f->add && f->merge, rule->name, "arithmetic"))
		merges(rule->name, f, arg);
}

static void aggregating_functions(void)
{
	unsigned n = 0;

	for (unsigned kind = 0x700; kind < 0x710; kind++) {
		const struct dt_actrule *rule = dt_actrule_of(kind);

		CHECK(!rule == !dt_aggfuncs[kind & 0xf]);
		if (rule != NULL && dt_aggfunc_of(rule->kind) != NULL) {
			n++;
			aggregating(rule, dt_aggfunc_of(rule->kind));
		}
	}
	CHECK(n >= 9);
	CHECK(dt_actrule_of(0x12345) == NULL && dt_actrule_of(0xfff) == NULL &&
	    dt_actrule_of(DT_ACT_LIBACT) == NULL);
}

int main(void)
{
	actions();
	aggregating_functions();
	return CHECK_DONE("builtin_acts_test");
}
