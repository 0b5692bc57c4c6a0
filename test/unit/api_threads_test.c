/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Several handles in several threads at a time: each compiles, lists, traces and fails by itself, and sees
 * its own values and errors only. Without the right to trace, compiling alone is tried.
 */
#include "check.h"
#include "dtrace.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

enum { THREADS = 4, ROUNDS = 3 };

/* What a thread found, told when all have ended: the counts of check.h are of one thread. */
struct worker { pthread_t thread; int number, flags; const char *wrong; long long sum; int ended; };

static const char *want(bool good, const char *what, const char *before)
{
	return before == NULL && !good ? what : before;
}

static int add_up(const dtrace_aggdata_t *a, void *arg)
{
	const dtrace_recdesc_t *value = &a->dtada_desc->dtagd_rec[a->dtada_desc->dtagd_nrecs - 1];
	long long n;

	memcpy(&n, a->dtada_data + value->dtrd_offset, sizeof(n));
	((struct worker *)arg)->sum += n;
	return DTRACE_AGGWALK_NEXT;
}

static int count_probe(dtrace_hdl_t *h, const dtrace_probedesc_t *d, void *arg)
{
	(void)h, (void)d;
	*(int *)arg += 1;
	return 0;
}

static void trace(struct worker *w, dtrace_hdl_t *h, dtrace_prog_t *p)
{
	dtrace_workstatus_t status = DTRACE_WORKSTATUS_OKAY;
	dtrace_probedesc_t d;
	int n = 0;

	w->wrong = want(dtrace_str2desc(h, DTRACE_PROBESPEC_NAME, "syscall::read*:entry", &d) == 0 &&
	    dtrace_probe_iter(h, &d, count_probe, &n) == 0 && n > 0, "probe_iter", w->wrong);
	w->wrong = want(dtrace_program_exec(h, p, NULL) == 0 && dtrace_go(h) == 0, "exec, go", w->wrong);
	while (w->wrong == NULL && status == DTRACE_WORKSTATUS_OKAY) {
		dtrace_sleep(h);
		status = dtrace_work(h, stdout, NULL, NULL, NULL);
	}
	w->wrong = want(status == DTRACE_WORKSTATUS_DONE, "work", w->wrong);
	w->wrong = want(dtrace_aggregate_snap(h) == 0 && dtrace_aggregate_walk_sorted(h, add_up, w) == 0,
	    "walk", w->wrong);
	w->ended += dtrace_exitstatus(h);
}

static void round_of(struct worker *w)
{
	char text[256], unknown[64];
	dtrace_hdl_t *h = dtrace_open(DTRACE_VERSION, w->flags, NULL);
	dtrace_prog_t *p;

	if (h == NULL) {
		w->wrong = "open";
		return;
	}
	snprintf(text, sizeof(text), "BEGIN { x = %d; @a[x] = sum(x); @b[\"k\"] = sum(x * 1000); exit(x); } "
	    "END { printf(\"%%s\", curpsinfo->pr_fname); }", w->number);
	snprintf(unknown, sizeof(unknown), "no_such_name_%d", w->number);
	p = dtrace_program_strcompile(h, text, DTRACE_PROBESPEC_NAME, 0, 0, NULL);
	w->wrong = want(p != NULL, "strcompile", w->wrong);
	snprintf(text, sizeof(text), "BEGIN { trace(%s); }", unknown);
	w->wrong = want(dtrace_program_strcompile(h, text, DTRACE_PROBESPEC_NAME, 0, 0, NULL) == NULL &&
	    strstr(dtrace_errmsg(h, dtrace_errno(h)), unknown) != NULL, "an error of its own", w->wrong);
	if (w->wrong == NULL && !(w->flags & DTRACE_O_NODEV))
		trace(w, h, p);
	dtrace_close(h);
}

static void *rounds(void *arg)
{
	for (int i = 0; i < ROUNDS; i++)
		round_of(arg);
	return NULL;
}

int main(void)
{
	dtrace_hdl_t *h = dtrace_open(DTRACE_VERSION, 0, NULL);
	int flags = h == NULL ? DTRACE_O_NODEV : 0;
	struct worker w[THREADS];

	dtrace_close(h);
	if (flags != 0)
		CHECK_SKIP("tracing needs rights");
	for (int i = 0; i < THREADS; i++) {
		w[i] = (struct worker){ .number = i + 1, .flags = flags };
		CHECK_INT(pthread_create(&w[i].thread, NULL, rounds, &w[i]), 0);
	}
	for (int i = 0; i < THREADS; i++) {
		pthread_join(w[i].thread, NULL);
		CHECK_STR(w[i].wrong != NULL ? w[i].wrong : "", "");
		if (flags == 0) {
			CHECK_INT(w[i].sum, ROUNDS * 1001ll * (i + 1));
			CHECK_INT(w[i].ended, ROUNDS * (i + 1));
		}
	}
	return check_report("api_threads");
}
