/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Shows aggregations by CPU as intrstat does (L5): -x aggpercpu, a clear between two intervals, and the value
 * of each CPU of the system at dtada_percpu[cpu].
 */
#include <dtrace.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int on_element(const dtrace_aggdata_t *a, void *arg)
{
	const dtrace_aggdesc_t *d = a->dtada_desc;
	long max = sysconf(_SC_NPROCESSORS_CONF);
	uint64_t sum = 0, total;

	(void)arg;
	memcpy(&total, a->dtada_data + d->dtagd_rec[d->dtagd_nrecs - 1].dtrd_offset, sizeof(total));
	for (long cpu = 0; cpu < max; cpu++)
		sum += *(const uint64_t *)(const void *)a->dtada_percpu[cpu];
	printf("%s %" PRIu64 ", by CPU %" PRIu64 "\n", a->dtada_data + d->dtagd_rec[1].dtrd_offset, total,
	    sum);
	return DTRACE_AGGWALK_NEXT;
}

static void interval(dtrace_hdl_t *h, int calls)
{
	for (int i = 0; i < calls; i++)
		getppid();
	if (dtrace_aggregate_snap(h) != 0 || dtrace_aggregate_walk_keysorted(h, on_element, NULL) != 0) {
		fprintf(stderr, "%s\n", dtrace_errmsg(h, dtrace_errno(h)));
		exit(1);
	}
	dtrace_aggregate_clear(h);
}

int main(void)
{
	int err = 0;
	dtrace_hdl_t *h = dtrace_open(DTRACE_VERSION, 0, &err);
	dtrace_prog_t *p;
	char text[256];

	if (h == NULL || dtrace_setopt(h, "aggpercpu", NULL) != 0 || dtrace_setopt(h, "aggrate", "1ms") != 0)
		return fprintf(stderr, "%s\n", dtrace_errmsg(h, h == NULL ? err : dtrace_errno(h))), 1;
	snprintf(text, sizeof(text), "syscall::getppid:entry /pid == %d/ { @[probefunc] = sum(2); }",
	    (int)getpid());
	p = dtrace_program_strcompile(h, text, DTRACE_PROBESPEC_NAME, 0, 0, NULL);
	if (p == NULL || dtrace_program_exec(h, p, NULL) != 0 || dtrace_go(h) != 0)
		return fprintf(stderr, "%s\n", dtrace_errmsg(h, dtrace_errno(h))), 1;
	interval(h, 10);
	interval(h, 5);
	dtrace_close(h);
	return 0;
}
