/* SPDX-License-Identifier: BSD-2-Clause */
/* The work loop: wait, read what was recorded, take aggregations over, look for drops and for the end. */
#include "lib/entry.h"
#include "lib/proc.h"
#include "lib/trace.h"

#include <errno.h>
#include <time.h>

#define POLL_NS 20000000u	/* how soon exit() in a probe is noticed */
#define UNWIND_NS 4000000u	/* how soon user stacks can be walked in files nobody had mapped before */

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static uint64_t rate(const struct dtrace_hdl *h, enum dt_opt opt)
{
	int64_t v = h->options.val[opt];

	return v > 0 ? (uint64_t)v : 0;
}

static uint64_t until(uint64_t last, uint64_t every, uint64_t now)
{
	return last + every > now ? last + every - now : 0;
}

/* How long it is until a buffer is to be read, drops are to be looked for, or aggregations to be taken over. */
static uint64_t until_due(const struct dtrace_hdl *h, const struct dt_trace *t, uint64_t now)
{
	uint64_t wait = until(t->last_switch, rate(h, DT_OPT_switchrate), now);
	uint64_t status = until(t->last_status, rate(h, DT_OPT_statusrate), now);
	uint64_t snap = t->image->naggs != 0 ? until(t->last_snap, rate(h, DT_OPT_aggrate), now) : wait;

	wait = status < wait ? status : wait;
	return snap < wait ? snap : wait;
}

/* Sleeps until something is due; exit() and the end of the tracing are noticed on the way. */
static void wait_for_news(dtrace_hdl_t *h)
{
	struct dt_trace *t = h->trace;
	uint64_t now = now_ns(), wait;

	if (t->state != DT_TRACE_ACTIVE || dt_procs_check(h))
		return;
	wait = until_due(h, t, now);
	while (wait > 0 && !dt_trace_over(t)) {
		uint64_t most = dt_session_unwinder(t->session) != NULL || t->later != NULL ? UNWIND_NS : POLL_NS, slice = wait < most ? wait : most;

		int woken = dt_session_wait(t->session, slice);

		t->woken |= woken > 0;
		if (h->usyms != NULL)
			dt_usyms_poll(h->usyms);
		(void)dt_trace_unwind_work(t);
		dt_later_work(h, t);
		if (woken != 0)
			return;		/* a record that wants to be shown now, or a signal: the caller wants to look */
		if (dt_procs_check(h))
			return;
		wait -= slice;
	}
}

void dtrace_sleep(dtrace_hdl_t *h)
{
	DT_PUBLIC_VOID(h, wait_for_news(h));
}

static int look_at_status(dtrace_hdl_t *h)
{
	struct dt_trace *t = h->trace;
	uint64_t now = now_ns();

	if (t->state == DT_TRACE_IDLE)
		return DTRACE_STATUS_NONE;
	if (t->state == DT_TRACE_STOPPED)
		return DTRACE_STATUS_STOPPED;
	if (dt_session_control(t->session)->exited)
		return dtrace_stop(h) != 0 ? -1 : DTRACE_STATUS_EXITED;
	if (dt_session_control(t->session)->filled)
		return dtrace_stop(h) != 0 ? -1 : DTRACE_STATUS_FILLED;
	if (until(t->last_status, rate(h, DT_OPT_statusrate), now) > 0)
		return DTRACE_STATUS_NONE;
	t->last_status = now;
	return dt_consumer_status(t->consumer) != 0 ? -1 : DTRACE_STATUS_OKAY;
}

int dtrace_status(dtrace_hdl_t *h)
{
	DT_PUBLIC(h, -1, look_at_status(h));
}

static int snap(dtrace_hdl_t *h)
{
	struct dt_trace *t = h->trace;
	int err = t->consumer != NULL ? dt_consumer_snap(t->consumer) : 0;

	return err != 0 ? dt_handle_error(h, -err) : 0;
}

int dtrace_aggregate_snap(dtrace_hdl_t *h)
{
	DT_PUBLIC(h, -1, snap(h));
}

/* Written now, so that errno tells the reason when it cannot be. Without a file there is nowhere for text to go. */
static int put_out(dtrace_hdl_t *h, struct dt_trace *t, FILE *fp)
{
	if (fp == NULL)
		return t->out.len > 0 ? dt_handle_error(h, EDT_NOBUFFERED) : 0;
	dt_out_flush(&t->out);
	errno = EIO;
	if (fflush(fp) != 0 || ferror(fp) || t->out.failed) {
		int err = t->out.err != 0 ? t->out.err : errno;

		return dt_handle_errorf(h, err, "failed to write output: %s", strerror(err));
	}
	return 0;
}

static int read_all(dtrace_hdl_t *h, struct dt_trace *t, bool final)
{
	int err = dt_consumer_read(t->consumer, final);

	if (err < -1)
		return dt_handle_error(h, -err);
	return err != 0 ? err : put_out(h, t, t->fp);
}

/* The last look: everything that was recorded, END's too, and the drops. */
static int finish(dtrace_hdl_t *h, struct dt_trace *t)
{
	if (read_all(h, t, true) != 0 || dtrace_aggregate_snap(h) != 0)
		return -1;
	return dt_consumer_status(t->consumer);
}

static dtrace_workstatus_t work(dtrace_hdl_t *h, FILE *fp, dtrace_consume_probe_f *pf, dtrace_consume_rec_f *rf, void *arg)
{
	struct dt_trace *t = h->trace;
	uint64_t now = now_ns();
	int status;

	if (t->consumer == NULL) {
		dt_handle_errorf(h, EINVAL, "dtrace_work() comes after dtrace_go()");
		return DTRACE_WORKSTATUS_ERROR;
	}
	t->fp = fp;
	t->out.file = fp;
	t->pf = pf;
	t->caller = (struct dt_sink_caller){ rf, arg };
	dt_trace_tell_start(t);
	status = dtrace_status(h);
	if (status < 0)
		return DTRACE_WORKSTATUS_ERROR;
	if (status >= DTRACE_STATUS_EXITED)
		return finish(h, t) != 0 ? DTRACE_WORKSTATUS_ERROR : DTRACE_WORKSTATUS_DONE;
	if (t->woken || until(t->last_switch, rate(h, DT_OPT_switchrate), now) == 0) {
		t->woken = false;
		t->last_switch = now;
		if (!t->at_end && read_all(h, t, false) != 0)
			return DTRACE_WORKSTATUS_ERROR;
	}
	if (until(t->last_snap, rate(h, DT_OPT_aggrate), now) == 0) {
		t->last_snap = now;
		if (dtrace_aggregate_snap(h) != 0)
			return DTRACE_WORKSTATUS_ERROR;
	}
	return DTRACE_WORKSTATUS_OKAY;
}

dtrace_workstatus_t dtrace_work(dtrace_hdl_t *h, FILE *fp, dtrace_consume_probe_f *pf, dtrace_consume_rec_f *rf, void *arg)
{
	DT_PUBLIC(h, DTRACE_WORKSTATUS_ERROR, work(h, fp, pf, rf, arg));
}

/* Those no printa() has shown, in the order of the program; aggsortrev turns that round too. Asked again, they are printed again. */
static int print_aggregations(dtrace_hdl_t *h, FILE *fp, dtrace_aggregate_walk_f *walk)
{
	struct dt_trace *t = h->trace;
	bool reverse = dt_options_on(&h->options, DT_OPT_aggsortrev);

	if (walk != NULL)
		return dt_handle_error(h, EINVAL);
	if (t->consumer == NULL)
		return 0;
	t->out.file = fp;
	dt_trace_tell_start(t);
	for (uint32_t i = 0, n = dt_consumer_naggs(t->consumer); i < n; i++) {
		struct dt_agg *agg = dt_consumer_agg_at(t->consumer, reverse ? n - 1 - i : i);
		int64_t id = agg->layout->id;
		struct dt_sink_aggs told;
		struct dt_aggrow *rows;
		size_t nrows;
		int err;

		if (agg->printed || agg->n == 0)
			continue;
		rows = dt_trace_sorted(h, &id, 1, &nrows);
		if (rows == NULL)
			return dt_handle_error(h, EDT_NOMEM);
		told = (struct dt_sink_aggs){ &id, 1, rows, nrows };
		if ((err = t->sink->type->aggregation(t->sink, &told)) != 0)
			return dt_handle_error(h, err);
	}
	dt_trace_tell_end(h);
	return put_out(h, t, fp);
}

int dtrace_aggregate_print(dtrace_hdl_t *h, FILE *fp, dtrace_aggregate_walk_f *walk)
{
	DT_PUBLIC(h, -1, print_aggregations(h, fp, walk));
}
