/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tables for walking user stacks without frame pointers (bpf/unwind.h), in memory that programs in the
 * kernel read: the rows of each file once, and a list of mappings for each process. struct dt_usyms
 * tells what is mapped and what changes. Tables are built by dt_unwind_work(), for as long as it is
 * allowed to run.
 */
#ifndef DT_SYMBOL_UNWIND_H
#define DT_SYMBOL_UNWIND_H

#include "bpf/unwind.h"

#include <stdbool.h>
#include <stdint.h>

struct dt_unwind;
struct dt_usyms;

struct dt_unwind_areas {
	struct dt_unwind_row *row;
	struct dt_unwind_rule *rule;
	struct dt_unwind_map *map;
	uint32_t nrows, nrules, nmaps;	/* elements */
	/* value NULL: removes the entry. 0 or -errno */
	int (*publish)(void *ctx, const struct dt_unwind_key *, const struct dt_unwind_value *);
	void *ctx;
};

struct dt_unwind_stats {
	uint32_t files, rows, rules, processes, mappings;
	uint32_t left_out;		/* files and processes for which there was no room */
	uint64_t ns;			/* spent on reading files */
};

/* Listens to the usyms until it is freed. NULL: out of memory. */
struct dt_unwind *dt_unwind_new(const struct dt_unwind_areas *, struct dt_usyms *);
/* NULL is allowed; must come before dt_usyms_free() */
void dt_unwind_free(struct dt_unwind *);
void dt_unwind_want(struct dt_unwind *, uint32_t pid);	/* queues the process for dt_unwind_work() */
/* Works for about that long; false: there is more to do. */
bool dt_unwind_work(struct dt_unwind *, uint64_t ns);
struct dt_unwind_stats dt_unwind_stats(const struct dt_unwind *);

#endif
