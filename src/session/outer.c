/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Elements of arrays of maps, set several at a time. bpf(2) returns from such an update when every
 * program that may have seen the old element is done: a grace period, which is the same one for all who
 * wait at the same time.
 */
#include "session/impl.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <signal.h>

static void *update(void *arg)
{
	struct dt_outer *job = arg;

	if (job->map < 0)
		return NULL;
	job->err = bpf_map_update_elem(job->map, &job->slot, &job->inner, BPF_ANY) < 0 ? -errno : 0;
	return NULL;
}

/* A thread that cannot be made is no error: the work is done at the join. */
void dt_outer_start(struct dt_outer *jobs, uint32_t n)
{
	sigset_t all, old;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	for (uint32_t i = 0; i < n; i++)
		jobs[i].threaded = n > 1 && jobs[i].map >= 0 &&
		    pthread_create(&jobs[i].thread, NULL, update, &jobs[i]) == 0;
	pthread_sigmask(SIG_SETMASK, &old, NULL);
}

int dt_outer_join(struct dt_outer *jobs, uint32_t n)
{
	int err = 0;

	for (uint32_t i = 0; i < n; i++) {
		if (jobs[i].threaded)
			pthread_join(jobs[i].thread, NULL);
		else
			update(&jobs[i]);
		err = err ? err : jobs[i].err;
	}
	return err;
}
