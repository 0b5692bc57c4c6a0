/* SPDX-License-Identifier: BSD-2-Clause */
/* Private to src/symbol/unwind*.c. */
#ifndef DT_SYMBOL_UNWIND_IMPL_H
#define DT_SYMBOL_UNWIND_IMPL_H

#include "symbol/elf.h"
#include "symbol/unwind.h"
#include "symbol/usym.h"

enum { DT_UNWIND_BUCKETS = 1024, DT_UNWIND_CLASSES = 32, DT_UNWIND_FILES = 4096 };
#define DT_UNWIND_REUSE_NS 100000000u		/* a program is over long before that */

struct dt_unwind_file {
	uint64_t key, base;
	uint32_t first, n;		/* blocks; 0: it has no rows */
	uint32_t size;			/* elements: blocks and rows */
	bool foreign;			/* anybody may have made it */
	bool left_out;			/* there was no room */
	bool used;			/* since the last sweep, or by a list */
	struct dt_unwind_key published;
	struct dt_unwind_file *next;
};
struct dt_unwind_place { uint32_t first, n; uint64_t since; struct dt_unwind_place *next; };
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
	/* room for rows (unwind_room.c): what was given back, by place; behind rows_end all is new */
	struct dt_unwind_place *places;
	uint32_t rows_end;
	uint64_t foreign;		/* elements of files that are */
	uint32_t nfiles, sweep_at;	/* the second: so many files are too many */
	uint32_t crowded;		/* files without room since the last sweep */
	uint64_t swept, again;		/* ns; when all processes are to be looked at again, or 0 */
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
/* unwind_room.c: room for n elements; UINT32_MAX: none */
uint32_t dt_unwind_take_rows(struct dt_unwind *, const struct dt_unwind_file *, uint64_t n);
/* Gives back what no list leads to, if there is need. No list may be half made. */
void dt_unwind_sweep(struct dt_unwind *);
void dt_unwind_places_free(struct dt_unwind *);

#endif
