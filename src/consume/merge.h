/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * All rings as one stream in time order. The ring of one CPU is read where the kernel wrote it: nothing is
 * copied. It is nearly in order by itself (a record made in an interrupt is after the one it interrupted,
 * perhaps with an earlier time). So each has a short sorted window, and the earliest record of all windows
 * comes next.
 */
#ifndef DT_CONSUME_MERGE_H
#define DT_CONSUME_MERGE_H

#include "record/record.h"

struct dt_engine;
struct dt_merge;

struct dt_merge *dt_merge_new(struct dt_engine *);
void dt_merge_free(struct dt_merge *);
/*
 * Starts a reading, which ends with what the rings hold at this moment. complete: all that will be asked for
 * has arrived; else nothing is handed on that may be later than a record still being written. 0 or -errno.
 */
int dt_merge_start(struct dt_merge *, bool complete);
/* The next record up to that time, valid until the next call; NULL: none. *err is 0 or -errno. */
const struct dt_rechdr *dt_merge_next(struct dt_merge *, uint64_t until, size_t *len, int *err);
/* When none was left: nothing up to the time that is returned can follow. */
uint64_t dt_merge_passed(const struct dt_merge *, uint64_t until);
bool dt_merge_reading(const struct dt_merge *);	/* it was started and not stopped */
void dt_merge_stop(struct dt_merge *);		/* releases the room of what was read to the kernel */
/* Hands on, unsorted, what was taken out of rings and has not been handed on. 0, or what f returned. */
int dt_merge_empty(struct dt_merge *, int (*f)(void *ctx, const void *rec, size_t len), void *ctx);
/* The first record of a CPU after the current one that f accepts; NULL: none is there yet. */
const struct dt_rechdr *dt_merge_ahead(struct dt_merge *, uint32_t cpu,
    bool (*f)(const void *ctx, const struct dt_rechdr *), const void *ctx);

#endif
