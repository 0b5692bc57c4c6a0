/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Messages of the current trace, for any number of pages. Lines in, parts of event streams out. Lines that
 * others refer to are kept as long as the trace; of the rest the newest HUB_MOMENTS bytes. A page that reads
 * slowly misses moments; it never delays the trace or another page.
 */
#ifndef DT_CMD_WEB_HUB_H
#define DT_CMD_WEB_HUB_H

#include "items.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HUB_MOMENTS (32u << 20)
#define HUB_KEPT (64u << 20)

struct hub {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	unsigned trace;			/* counts traces */
	struct items kept, moments;
	bool full, closing;
	const char *hosts;		/* whose programs run: said at `reset`; NULL: this machine */
};

struct hub_reader {
	unsigned trace;
	size_t kept, moment;		/* how far it has read */
	char *text;
	size_t len, at;
};

void hub_open(struct hub *);
void hub_close(struct hub *);		/* there must be no reader any more */
/* A new trace begins: the messages of the last one are dropped. */
void hub_begin(struct hub *);
/* A line of a worker: `D`, `S` or `L`, then JSON, without the newline. There is always room for an `L`. */
void hub_append(struct hub *, const char *line, size_t len);
/* Readers come to an end. */
void hub_stop(struct hub *);
/* Bytes for a reader, at most `max`; waits some seconds for them. -1: the end. */
long hub_read(struct hub *, struct hub_reader *, char *, size_t max);

#endif
