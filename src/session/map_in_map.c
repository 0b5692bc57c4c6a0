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
#include <unistd.h>

/* The number by which the kernel names a map; 0: not known. */
static uint32_t map_id(int fd)
{
	struct bpf_map_info info = { 0 };
	uint32_t len = sizeof(info);

	return bpf_obj_get_info_by_fd(fd, &info, &len) == 0 ? info.id : 0;
}

static void *set_element(void *arg)
{
	struct dt_map_update *job = arg;

	if (job->map >= 0)
		job->err = bpf_map_update_elem(job->map, &job->slot, &job->inner, BPF_ANY) < 0 ? -errno : 0;
	__atomic_store_n(&job->done, true, __ATOMIC_RELEASE);
	return NULL;
}

/* A thread that cannot be created is no error: the element is set here. */
void dt_map_update_start(struct dt_map_update *jobs, uint32_t n)
{
	sigset_t all, old;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	for (uint32_t i = 0; i < n; i++) {
		jobs[i].threaded = jobs[i].map >= 0 &&
		    pthread_create(&jobs[i].thread, NULL, set_element, &jobs[i]) == 0;
		if (!jobs[i].threaded)
			set_element(&jobs[i]);
	}
	pthread_sigmask(SIG_SETMASK, &old, NULL);
}

bool dt_map_update_done(const struct dt_map_update *job)
{
	return __atomic_load_n(&job->done, __ATOMIC_ACQUIRE);
}

bool dt_map_update_seen(int map, uint32_t slot, int inner)
{
	uint32_t id, want = map_id(inner);

	return want != 0 && bpf_map_lookup_elem(map, &slot, &id) == 0 && id == want;
}

/* Programs find an element as soon as it is set; only the call that sets it waits on. */
void dt_map_update_visible(struct dt_map_update *jobs, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		while (!dt_map_update_done(&jobs[i]) &&
		    !dt_map_update_seen(jobs[i].map, jobs[i].slot, jobs[i].inner))
			usleep(20);
}

int dt_map_update_join(struct dt_map_update *jobs, uint32_t n)
{
	int err = 0;

	for (uint32_t i = 0; i < n; i++) {
		if (jobs[i].threaded)
			pthread_join(jobs[i].thread, NULL);
		jobs[i].threaded = false;
		err = err ? err : jobs[i].err;
	}
	return err;
}
