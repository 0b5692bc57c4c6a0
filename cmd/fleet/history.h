/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What programs that run always have recorded, in a stream of the bus (doc/FLEET.md). A worker makes a
 * recording of each interval; it goes out in numbered messages, which are sent until the bus has stored them.
 * asker_past.c reads them.
 */
#ifndef DT_CMD_FLEET_HISTORY_H
#define DT_CMD_FLEET_HISTORY_H

#include "bus.h"
#include "queue.h"

enum { HISTORY_PART = 512 << 10 };	/* bytes of a recording in one message */

/* Of a worker: the messages of one are counted. */
struct history_run { char id[NAME_LENGTH]; uint64_t text, number; };

struct history;
/* NULL after a message. After the bus, before programs run. */
struct history *history_open(const struct settings *, struct bus *);
void history_begin(struct history_run *, const char *text, size_t len);	/* of the program */
/* A recording from one moment to another (ns since 1970, by this host's clock). */
void history_put(struct history *, const char *program, struct history_run *, uint64_t from, uint64_t to,
    const void *, size_t len);
struct queue_counts history_count(struct history *);
void history_close(struct history *, int seconds);

#endif
