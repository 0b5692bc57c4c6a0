/* SPDX-License-Identifier: BSD-2-Clause */
/* A line on the terminal while something takes long; it is gone before anything else is printed. */
#ifndef DTRACE_PROGRESS_H
#define DTRACE_PROGRESS_H

#include <pthread.h>
#include <stdbool.h>

struct progress {
	const char *what;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t cond;
	bool running, stop;
};

/* Nothing happens unless standard error is a terminal; nothing is seen in the first second. */
void progress_start(struct progress *, const char *what, bool quiet);
void progress_stop(struct progress *);

#endif
