/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tables for walking user stacks without frame pointers (record/unwind.h), in memory that programs in the
 * kernel read: the rows of each file once, and a list of mappings for each process. struct dt_usyms
 * tells what is mapped and what changes. Tables are built by dt_unwind_work(), for as long as it is
 * allowed to run.
 */
#ifndef DT_UNWIND_UNWIND_H
#define DT_UNWIND_UNWIND_H

#include "record/unwind.h"

#include <stdbool.h>
#include <stdint.h>

struct dt_unwind;
struct dt_usyms;

enum dt_unwind_table { DT_UNWIND_WORDS, DT_UNWIND_RULE, DT_UNWIND_LISTS, DT_UNWIND_TABLES };

struct dt_unwind_areas {
	/*
	 * The memory of a chunk of a table (record/unwind.h), of zeros when it is new. They are asked for in
	 * their order. NULL: there is no memory.
	 */
	void *(*chunk)(void *ctx, enum dt_unwind_table, uint32_t i);
	uint64_t most;			/* bytes of words */
	/* value NULL: removes the entry. 0 or -errno */
	int (*publish)(void *ctx, const struct dt_unwind_key *, const struct dt_unwind_value *);
	void *ctx;
	bool langs;			/* walks go along the frames of languages too (lang/lang.h) */
};

struct dt_unwind_stats {
	uint32_t files, rules, processes, mappings;
	uint64_t words;
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
/* Bytes of words that would be enough for all files; not above `most`: it was not for lack of them. */
uint64_t dt_unwind_enough(const struct dt_unwind *);

#endif
