/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Jobs that other threads do, and that come back in the order in which they were given. One thread, the
 * owner, gives and takes. Threads are started by need: while fewer of them are idle than jobs wait. A job
 * that no thread has begun when the owner asks for it is done by the owner, so a crew works without any
 * thread. All signals are blocked in the threads: they are for those of the caller.
 */
#ifndef DT_BASE_CREW_H
#define DT_BASE_CREW_H

#include <stdbool.h>

struct dt_crew;
typedef void dt_crew_f(void *job);	/* called by any thread, for one job at a time in each */

/* At most so many threads and jobs at once; NULL: out of memory. No thread is started. */
struct dt_crew *dt_crew_new(unsigned threads, unsigned jobs, dt_crew_f *);
/* Waits for the jobs that were begun; those that were not are not done. NULL is nothing. */
void dt_crew_free(struct dt_crew *);
bool dt_crew_pending(const struct dt_crew *);	/* a job was given and not taken */
bool dt_crew_full(const struct dt_crew *);	/* a job has to be taken before the next is given */
void dt_crew_give(struct dt_crew *, void *job);	/* the crew is not full */
void *dt_crew_take(struct dt_crew *);		/* the oldest, done; NULL: none was given */
unsigned dt_crew_threads(const struct dt_crew *);	/* how many were started */

#endif
