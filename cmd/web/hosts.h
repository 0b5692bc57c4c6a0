/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The recordings of single hosts, of a trace over several: what dtrace-fleet writes to PAGE_STREAMS
 * (cmd/fleet/page.h) in, one set of blocks for each host out. Together they keep HOSTS_KEPT bytes; each host
 * may use an equal part.
 */
#ifndef DT_CMD_WEB_HOSTS_H
#define DT_CMD_WEB_HOSTS_H

#include "blocks.h"

#define HOSTS_KEPT (128u << 20)
enum { HOSTS_MAX = 256 };

struct hosts {
	pthread_mutex_t lock;
	struct blocks *of[HOSTS_MAX];	/* NULL: there was no such host yet; never freed before the end */
	struct blocks_input input[HOSTS_MAX];
	unsigned n, begun;		/* begun: counts recordings, of all hosts */
};

void hosts_open(struct hosts *);
void hosts_close(struct hosts *);	/* no reader may be left */
void hosts_begin(struct hosts *);	/* of another trace: what there is is forgotten */
void hosts_stop(struct hosts *);	/* readers come to an end */
/* The host of that number; NULL: it has no recording here. */
struct blocks *hosts_find(struct hosts *, unsigned number);
/* Copies recordings from a descriptor until it ends; closes it. */
void hosts_copy(struct hosts *, int fd);

#endif
