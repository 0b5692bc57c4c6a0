/* SPDX-License-Identifier: BSD-2-Clause */
/* Private to src/symbol/unwind*.c. */
#ifndef DT_SYMBOL_UNWIND_IMPL_H
#define DT_SYMBOL_UNWIND_IMPL_H

#include "symbol/elf.h"
#include "symbol/unwind.h"
#include "symbol/usym.h"

enum { DT_UNWIND_BUCKETS = 1024, DT_UNWIND_CLASSES = 32 };

struct dt_unwind_file { uint64_t key; uint64_t base; uint32_t first, n; struct dt_unwind_file *next; };
struct dt_unwind_room { uint32_t first; uint64_t since; struct dt_unwind_room *next; };

struct dt_unwind_proc {
	uint32_t pid;
	uint32_t first, n;		/* its list; n 0: none */
	uint8_t class;			/* of the list's block */
	bool queued;
	struct dt_unwind_proc *next, *after;	/* of the bucket, of the queue */
};

struct dt_unwind {
	struct dt_unwind_areas areas;
	struct dt_usyms *usyms;
	struct dt_unwind_proc *proc[DT_UNWIND_BUCKETS], *queue, *last;
	struct dt_unwind_file *file[DT_UNWIND_BUCKETS];
	/* freed blocks for lists, the oldest first */
	struct dt_unwind_room *free[DT_UNWIND_CLASSES], *free_end[DT_UNWIND_CLASSES];
	uint32_t maps_used;
	uint32_t *rules;		/* hash: numbers of rules, 0 free; NULL until the first */
	struct dt_unwind_map *scratch;
	struct dt_unwind_stats stats;
};

/*
 * unwind_file.c: the rows of a file, read if it is new. NULL: out of memory. The mapping gives another
 * way to the file.
 */
const struct dt_unwind_file *dt_unwind_file(struct dt_unwind *, const struct dt_umapping *, uint32_t pid);
void dt_unwind_files_free(struct dt_unwind *);

#endif
