/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What lockstat and plockstat count: events of locks by event, lock and stack. Their programs
 * aggregate into @count, @time (the sum of nanoseconds) and @hist (quantize), each with the keys
 * [event, lock, stack]; what is here turns these into rows with names.
 */
#ifndef DT_CMD_COMMON_LOCKS_H
#define DT_CMD_COMMON_LOCKS_H

#include "run.h"

#include <stddef.h>
#include <stdio.h>

#define LOCK_NAME 256			/* names of C++ are long */

struct lockpart {			/* of a distribution: so many took from `low` ns on */
	int64_t low;
	uint64_t count;
};

struct lockrow {
	uint32_t event;
	pid_t pid;			/* whose addresses these are; 0: the kernel's */
	uint64_t lock;
	uint64_t *frames;
	size_t nframes;
	size_t from;			/* the first frame that is not a function of locks: the caller */
	uint64_t count, time;
	struct lockpart *parts;		/* in ascending order; none without @hist */
	size_t nparts;
	char lock_name[LOCK_NAME], caller[LOCK_NAME];
};

struct lockrows {
	struct lockrow *v;
	size_t n;
};

/* Is `name`, "module`function+0x10", a function that takes locks, and no caller? */
typedef bool lock_function_f(const char *name);

/* All rows, with names. 0, or 1 after a message. */
int locks_collect(struct run *, lock_function_f *, struct lockrows *);
/* An address as the reports show it. */
void locks_name(const struct run *, pid_t, uint64_t addr, char out[LOCK_NAME]);
/*
 * Joins rows with the same event, lock and caller, by their names; `lock` and `caller` say which of
 * them count. False: out of memory, and a distribution lacks some of its counts.
 */
bool locks_merge(struct lockrows *, bool lock, bool caller);
/* Most events first; with `product`, most time first. */
void locks_sort(struct lockrows *, bool product);
/*
 * The distribution of a row beside its stack: LOW, a bar of `width` columns, the count, and a frame a
 * line. The stack goes on below the last line of the distribution.
 */
void locks_distribution(FILE *, const struct run *, const struct lockrow *, int width, size_t depth);
void locks_free(struct lockrows *);

#endif
