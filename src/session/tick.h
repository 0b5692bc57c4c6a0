/* SPDX-License-Identifier: BSD-2-Clause */
/* The thread that tick-n probes fire in, for engines: each says how a program is run. */
#ifndef DT_SESSION_TICK_H
#define DT_SESSION_TICK_H

#include "record/record.h"

#include <pthread.h>

struct dt_tick {
	uint32_t prog;			/* what `run` gets */
	uint64_t interval, next;	/* ns */
};

/* The lock guards stop; ticks belong to the thread while it runs. */
struct dt_ticker {
	struct dt_tick *ticks;
	uint32_t n;
	void (*run)(void *ctx, uint32_t prog);
	void *ctx;
	uint32_t only_cpu;		/* of the image */
	struct dt_control *control;
	int event; /* to wake who waits for the engine, when a tick has ended the trace */
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t cond;
	bool running, stop;
	bool now;			/* the first of each is due when it starts, not an interval later */
};

int dt_ticker_start(struct dt_ticker *);	/* 0 or -errno; without ticks there is no thread */
void dt_ticker_stop(struct dt_ticker *);
/* Without waiting: the thread ends when what it runs returns, and until then uses *ticker. */
void dt_ticker_leave(struct dt_ticker *);

#endif
