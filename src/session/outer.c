/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sets elements of arrays of maps, several at a time. bpf(2) returns from such an update when every
 * program that may have seen the old element has ended. This is a grace period, shared by all who wait
 * at the same time.
 */
#include "session/impl.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <signal.h>

static void *set_element(void *arg)
{
	struct dt_outer *job = arg;

	if (job->map < 0)
		return NULL;
	job->err = bpf_map_update_elem(job->map, &job->slot, &job->inner, BPF_ANY) < 0 ? -errno : 0;
	return NULL;
}

/* A thread that cannot be created is no error: the join does the work. */
void dt_outer_start(struct dt_outer *jobs, uint32_t n)
{
	sigset_t all, old;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	for (uint32_t i = 0; i < n; i++)
		jobs[i].threaded = n > 1 && jobs[i].map >= 0 &&
		    pthread_create(&jobs[i].thread, NULL, set_element, &jobs[i]) == 0;
	pthread_sigmask(SIG_SETMASK, &old, NULL);
}

int dt_outer_join(struct dt_outer *jobs, uint32_t n)
{
	int err = 0;

	for (uint32_t i = 0; i < n; i++) {
		if (jobs[i].threaded)
			pthread_join(jobs[i].thread, NULL);
		else
			set_element(&jobs[i]);
		err = err ? err : jobs[i].err;
	}
	return err;
}
