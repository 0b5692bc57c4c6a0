/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The rings of all CPUs as one stream in time order, read where the kernel wrote them: nothing is
 * copied. A ring is nearly in order by itself (a record made in an interrupt is behind the one it
 * interrupted, perhaps with an earlier time). So each ring has a short sorted window, and the earliest
 * record of all windows comes next.
 */
#ifndef DT_CONSUME_MERGE_H
#define DT_CONSUME_MERGE_H

#include "bpf/image.h"

struct dt_session;
struct dt_merge;

struct dt_merge *dt_merge_new(struct dt_session *);
void dt_merge_free(struct dt_merge *);
/* Starts a reading, which ends with what the rings hold at this moment. 0 or -errno. */
int dt_merge_start(struct dt_merge *);
/* The next record up to that time, valid until the next call; NULL: none. *err is 0 or -errno. */
const struct dt_rechdr *dt_merge_next(struct dt_merge *, uint64_t until, size_t *len, int *err);
void dt_merge_stop(struct dt_merge *);		/* releases the room of what was read to the kernel */
/* The first record of a CPU after the current one that f accepts; NULL: none is there yet. */
const struct dt_rechdr *dt_merge_ahead(struct dt_merge *, uint32_t cpu,
    bool (*f)(const void *ctx, const struct dt_rechdr *), const void *ctx);

#endif
