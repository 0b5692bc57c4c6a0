/* SPDX-License-Identifier: BSD-2-Clause */
/* The threads that are traced, by number: their descriptors, and where their line has stopped. */
#ifndef DT_CMD_DTRUSS_THREADS_H
#define DT_CMD_DTRUSS_THREADS_H

#include "decode.h"
#include "files.h"

#define MAX_SIGNALS 8			/* that wait for the end of a call */

struct thread {
	struct thread *next;
	pid_t pid, tid;
	struct files *files;
	bool inside;			/* it waits in a call, whose line was begun */
	unsigned done;			/* as far as this argument */
	struct siginfo_facts signals[MAX_SIGNALS];
	size_t nsignals;
};

struct threads {
	struct thread *bucket[256];
	size_t n;
	struct files_memory memory;
};

struct thread *threads_find(const struct threads *, pid_t tid);		/* NULL: not known */
/* One that is not known begins with what /proc reports about its process. NULL: out of memory. */
struct thread *threads_get(struct threads *, pid_t pid, pid_t tid);
/* `shared`: parent and child have one table of descriptors. */
void threads_fork(struct threads *, struct thread *parent, pid_t pid, pid_t tid, bool shared);
void threads_remove(struct threads *, struct thread *);
void threads_free(struct threads *);

#endif
