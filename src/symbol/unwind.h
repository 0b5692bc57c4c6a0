/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tables for user stacks without frame pointers (bpf/unwind.h), in memory that programs of the kernel
 * read: rows of each file once, a list of mappings for each process. What is mapped comes from struct
 * dt_usyms, which tells what changes; tables are made when dt_unwind_work() is called, for as long as
 * it is allowed to.
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
	/* NULL: none any more. 0 or -errno */
	int (*publish)(void *ctx, const struct dt_unwind_key *, const struct dt_unwind_value *);
	void *ctx;
};

struct dt_unwind_stats {
	uint32_t files, rows, rules, processes, mappings;
	uint32_t left_out;		/* files and processes for which there was no room */
	uint64_t ns;			/* that reading files took */
};

/* NULL: out of memory. Listens to the usyms until it is freed. */
struct dt_unwind *dt_unwind_new(const struct dt_unwind_areas *, struct dt_usyms *);
void dt_unwind_free(struct dt_unwind *);		/* NULL is fine; before the usyms */
void dt_unwind_want(struct dt_unwind *, uint32_t pid);	/* as soon as dt_unwind_work() comes to it */
bool dt_unwind_work(struct dt_unwind *, uint64_t ns);	/* for about that long; false: there is more to do */
struct dt_unwind_stats dt_unwind_stats(const struct dt_unwind *);

#endif
