/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The work loop: wait, read what was recorded, take aggregations over, look for drops and for the end. Each
 * has its own rate (switchrate, aggrate, statusrate), and nothing here waits longer than the next of them. A
 * caller may use dtrace_sleep() or wait on dtrace_ctlfd() itself; dtrace_work() does the same either way.
 */
#include "base/clock.h"
#include "handle/entry.h"
#include "trace/trace_procs.h"
#include "trace/trace.h"

#include <errno.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#define POLL_NS 20000000u	/* how soon exit() in a probe is noticed */
#define UNWIND_NS 4000000u	/* how soon user stacks can be walked in newly mapped files */

/* An option in nanoseconds; 0 means always due. */
static uint64_t option_ns(const struct dtrace_hdl *h, enum dt_opt opt)
{
	int64_t v = h->options.val[opt];

	return v > 0 ? (uint64_t)v : 0;
}

/* How long until something that was done at `last` and is done `every` so often is due. */
static uint64_t time_until(uint64_t last, uint64_t every, uint64_t now)
{
	return last + every > now ? last + every - now : 0;
}

/* How long until a buffer is to be read, drops are to be looked for, or aggregations are to be taken over. */
static uint64_t until_due(const struct dtrace_hdl *h, const struct dt_trace *t, uint64_t now)
{
	uint64_t wait = time_until(t->last_switch, option_ns(h, DT_OPT_switchrate), now);
	uint64_t status = time_until(t->last_status, option_ns(h, DT_OPT_statusrate), now);
	uint64_t snap = wait;

	if (dt_trace_layouts(t)->naggs != 0)
		snap = time_until(t->last_snap, option_ns(h, DT_OPT_aggrate), now);
	wait = status < wait ? status : wait;
	return snap < wait ? snap : wait;
}

/* Names and stacks of new processes, and probes that come while tracing. */
static void serve_others(dtrace_hdl_t *h, struct dt_trace *t)
{
	if (h->usyms != NULL)
		dt_usyms_poll(h->usyms);
	(void)dt_trace_unwind_work(h, t);
	dt_trace_containers_work(h, t);
	dt_later_work(h, t);
}

/*
 * What goes on besides the records: names and stacks of new processes, and probes that come while tracing.
 * Sets *ended if a process has ended. Positive: something wants to be looked at now; negative: a signal came;
 * 0: the time is up.
 */
static int look_around(dtrace_hdl_t *h, struct dt_trace *t, uint64_t wait, bool *ended)
{
	int woken = t->ops->wait(t->engine, wait);

	t->woken |= woken > 0;
	serve_others(h, t);
	*ended = woken == 0 && dt_procs_check(h);
	return woken;
}

/* How long may pass until the next look for changes: less if user stacks or new programs depend on it. */
static uint64_t longest_wait(const struct dt_trace *t)
{
	return dt_trace_unwinder(t) != NULL || t->later != NULL ? UNWIND_NS : POLL_NS;
}

int dt_trace_serve_ms(const struct dt_trace *t)
{
	return (int)(longest_wait(t) / 1000000);
}

/*
 * For a statement that waits in the middle of a read: what is grafted meanwhile only adds clauses after the
 * known ones, so the firing in hand stays valid (dt_consumer_extend()). An entry of its own: running out of
 * memory here must not jump over the one who waits.
 */
void dt_trace_serve(void *hdl)
{
	dtrace_hdl_t *h = hdl;

	if (h->trace->state == DT_TRACE_ACTIVE)
		DT_PUBLIC_VOID(h, serve_others(h, h->trace));
}

/* Sleeps until something is due; exit() and the end of tracing are noticed on the way. */
static void wait_for_event(dtrace_hdl_t *h)
{
	struct dt_trace *t = h->trace;
	uint64_t wait, most;
	bool ended = false;

	if (t->state != DT_TRACE_ACTIVE || dt_procs_check(h))
		return;
	most = longest_wait(t);
	wait = until_due(h, t, dt_clock_ns());
	while (wait > 0 && !dt_trace_over(t) && !ended && !h->interrupted) {
		uint64_t slice = wait < most ? wait : most;

		if (look_around(h, t, slice, &ended) != 0)
			/* a record that wants to be shown now, or a signal: the caller wants to look */
			return;
		wait -= slice;
	}
}

void dtrace_sleep(dtrace_hdl_t *h)
{
	DT_PUBLIC_VOID(h, wait_for_event(h));
}

void dtrace_interrupt(dtrace_hdl_t *h)
{
	h->interrupted = 1;
}

/* ---- poll(2) ---- */

/*
 * dtrace_ctlfd() can be read when something is due: a record that wants to be shown, or this timer. A timer
 * that has run out stays readable until it is set again, so work() sets it last.
 */
static void set_timer(dtrace_hdl_t *h, struct dt_trace *t)
{
	struct itimerspec at = { .it_value.tv_nsec = 1 };
	uint64_t wait = 0, count, most;

	if (t->ctlfd <= 0)
		return;
	(void)!read(t->timerfd, &count, sizeof(count));
	if (t->state == DT_TRACE_ACTIVE) {
		wait = until_due(h, t, dt_clock_ns());
		most = longest_wait(t);
		if (most != POLL_NS && most < wait)
			wait = most;
	}
	if (wait > 0)
		at.it_value = (struct timespec){ (time_t)(wait / 1000000000u), (long)(wait % 1000000000u) };
	timerfd_settime(t->timerfd, 0, &at, NULL);
}

/* An epoll descriptor over the timer and the session's own, so that callers need to know only one. */
static int make_ctlfd(dtrace_hdl_t *h)
{
	struct dt_trace *t = h->trace;
	struct epoll_event ev = { .events = EPOLLIN };
	int all, timer;

	if (t->consumer == NULL)
		return dt_handle_errorf(h, EINVAL, "dtrace_ctlfd() comes after dtrace_go()");
	if (t->ctlfd > 0)
		return t->ctlfd;
	all = epoll_create1(EPOLL_CLOEXEC);
	timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (all < 0 || timer < 0 || epoll_ctl(all, EPOLL_CTL_ADD, timer, &ev) != 0 ||
	    epoll_ctl(all, EPOLL_CTL_ADD, t->ops->pollfd(t->engine), &ev) != 0) {
		dt_handle_error(h, errno);
		if (all >= 0)
			close(all);
		if (timer >= 0)
			close(timer);
		return -1;
	}
	t->ctlfd = all;
	t->timerfd = timer;
	set_timer(h, t);
	return all;
}

int dtrace_ctlfd(dtrace_hdl_t *h)
{
	DT_PUBLIC(h, -1, make_ctlfd(h));
}

/* ---- work ---- */

/* -1: a handler ended the call, and the error is set. */
static int report_drops(dtrace_hdl_t *h, struct dt_trace *t)
{
	int err = dt_consumer_status(t->consumer);

	return err < -1 ? dt_handle_error(h, -err) : err;
}

/*
 * exit() and full buffers end tracing here: dtrace_stop() runs END. Drops are looked for at most every
 * statusrate.
 */
static int look_at_status(dtrace_hdl_t *h)
{
	struct dt_trace *t = h->trace;
	uint64_t now = dt_clock_ns();

	if (t->state == DT_TRACE_IDLE)
		return DTRACE_STATUS_NONE;
	if (t->state == DT_TRACE_STOPPED)
		return DTRACE_STATUS_STOPPED;
	if (dt_trace_control(t)->exited)
		return dtrace_stop(h) != 0 ? -1 : DTRACE_STATUS_EXITED;
	if (dt_trace_control(t)->filled)
		return dtrace_stop(h) != 0 ? -1 : DTRACE_STATUS_FILLED;
	if (time_until(t->last_status, option_ns(h, DT_OPT_statusrate), now) > 0)
		return DTRACE_STATUS_NONE;
	t->last_status = now;
	return report_drops(h, t) != 0 ? -1 : DTRACE_STATUS_OKAY;
}

int dtrace_status(dtrace_hdl_t *h)
{
	DT_PUBLIC(h, -1, look_at_status(h));
}

/* Takes over what was counted in the kernel; before dtrace_go() there is nothing. */
static int take_aggregations(dtrace_hdl_t *h)
{
	struct dt_trace *t = h->trace;
	int err = t->consumer != NULL ? dt_consumer_snap(t->consumer) : 0;

	if (err != 0)
		return dt_handle_error(h, -err);
	dt_trace_sink_snapshot(h);
	return 0;
}

int dtrace_aggregate_snap(dtrace_hdl_t *h)
{
	DT_PUBLIC(h, -1, take_aggregations(h));
}

/* Where records go from now on: to a file, or without one to the handler for text. */
static void set_caller(dtrace_hdl_t *h, FILE *fp, dtrace_consume_probe_f *pf, dtrace_consume_rec_f *rf,
    void *arg)
{
	struct dt_trace *t = h->trace;

	t->fp = fp;
	if (t->out.file != fp) {
		t->out.file = fp;
		dt_trace_terminal(h, t);
	}
	t->pf = pf;
	t->caller = (struct dt_sink_caller){ .rec = rf, .arg = arg, .all = rf == dtrace_consume_all,
		.take = fp == NULL ? dt_trace_take : NULL, .hdl = h };
	dt_trace_sink_start(t);
}

/* Writes the text now, so that errno still tells the reason if it cannot be written. */
static int put_out(dtrace_hdl_t *h, struct dt_trace *t, FILE *fp)
{
	if (t->sink->type->flush != NULL)
		t->sink->type->flush(t->sink);
	if (fp == NULL)
		return dt_trace_give(h);
	dt_out_flush(&t->out);
	errno = EIO;
	if (fflush(fp) != 0 || ferror(fp) || t->out.failed) {
		int err = t->out.err != 0 ? t->out.err : errno;

		return dt_handle_errorf(h, err == ENOMEM ? EDT_NOMEM : err, "failed to write output: %s",
		    strerror(err));
	}
	return 0;
}

/* Reads and shows all records; `final`: also those that wait for later ones of other CPUs. */
static int read_all(dtrace_hdl_t *h, struct dt_trace *t, bool final)
{
	int err, left;

	if (dt_trace_settle(t) != 0)		/* of a reading that a callback jumped out of */
		return -1;
	dt_trace_defer_reading(t);
	err = dt_consumer_read(t->consumer, final);
	left = dt_trace_settle(t);
	if (err < -1)
		return dt_handle_error(h, -err);
	err = err != 0 ? err : left;
	return err != 0 ? err : put_out(h, t, t->fp);
}

/* The last look: everything that was recorded, including END's, then aggregations, then drops. */
static int read_last(dtrace_hdl_t *h, struct dt_trace *t)
{
	if (read_all(h, t, true) != 0 || dtrace_aggregate_snap(h) != 0)
		return -1;
	if (t->skipped > 0)
		dt_handle_note(h, dt_arena_printf(t->arena, "%llu command%s of system() %s not run: tracing "
		    "was interrupted", (unsigned long long)t->skipped, t->skipped > 1 ? "s" : "",
		    t->skipped > 1 ? "were" : "was"));
	t->skipped = 0;
	return report_drops(h, t);
}

/*
 * Records, if switchrate has passed or one of them wants to be shown at once. Policies fill and ring are read
 * at the end only.
 */
static int consume_due(dtrace_hdl_t *h, struct dt_trace *t)
{
	uint64_t now = dt_clock_ns();

	if (!t->woken && time_until(t->last_switch, option_ns(h, DT_OPT_switchrate), now) > 0)
		return 0;
	t->woken = false;
	t->last_switch = now;
	return t->at_end ? 0 : read_all(h, t, false);
}

static int snap_due(dtrace_hdl_t *h, struct dt_trace *t)
{
	uint64_t now = dt_clock_ns();

	if (time_until(t->last_snap, option_ns(h, DT_OPT_aggrate), now) > 0)
		return 0;
	t->last_snap = now;
	return dtrace_aggregate_snap(h);
}

/*
 * There is something to read after dtrace_go() only, and not for a function that is itself called for a
 * record or an element: it would read in the middle of another call.
 */
static bool check_ready(dtrace_hdl_t *h, const char *call)
{
	struct dt_trace *t = h->trace;

	if (t->consumer == NULL)
		dt_handle_errorf(h, EINVAL, "%s() comes after dtrace_go()", call);
	else if (t->h->doing.firing != NULL || t->h->doing.walking > 0)
		dt_handle_errorf(h, EBUSY,
		    "%s() was called from a callback for a record or an aggregation", call);
	else
		return true;
	return false;
}

/* Status first, because the end decides whether everything is read or only what is due. */
static dtrace_workstatus_t work_once(dtrace_hdl_t *h, FILE *fp, dtrace_consume_probe_f *pf,
    dtrace_consume_rec_f *rf, void *arg)
{
	struct dt_trace *t = h->trace;
	bool ended;
	int status;

	if (!check_ready(h, "dtrace_work"))
		return DTRACE_WORKSTATUS_ERROR;
	set_caller(h, fp, pf, rf, arg);
	if (t->ctlfd > 0 && t->state == DT_TRACE_ACTIVE)
		(void)look_around(h, t, 0, &ended);
	status = dtrace_status(h);
	if (status < 0)
		return DTRACE_WORKSTATUS_ERROR;
	if (status >= DTRACE_STATUS_EXITED)
		return read_last(h, t) != 0 ? DTRACE_WORKSTATUS_ERROR : DTRACE_WORKSTATUS_DONE;
	if (consume_due(h, t) != 0 || snap_due(h, t) != 0)
		return DTRACE_WORKSTATUS_ERROR;
	set_timer(h, t);
	return DTRACE_WORKSTATUS_OKAY;
}

/* What was deferred before memory ran out, or before a function of the caller's jumped out, is written. */
static int jumped_out(dtrace_hdl_t *h, int result)
{
	(void)dt_trace_settle(h->trace);
	return result;
}

int dtrace_consume_all(const dtrace_probedata_t *d, const dtrace_recdesc_t *rec, void *arg)
{
	(void)d;
	(void)arg;
	return rec != NULL ? DTRACE_CONSUME_THIS : DTRACE_CONSUME_NEXT;
}

dtrace_workstatus_t dtrace_work(dtrace_hdl_t *h, FILE *fp, dtrace_consume_probe_f *pf,
    dtrace_consume_rec_f *rf, void *arg)
{
	DT_PUBLIC_SURE(h, (dtrace_workstatus_t)jumped_out(h, DTRACE_WORKSTATUS_ERROR),
	    work_once(h, fp, pf, rf, arg));
}

/* The body of dtrace_consume(): records alone, without aggregations and drops. */
static int consume_once(dtrace_hdl_t *h, FILE *fp, dtrace_consume_probe_f *pf, dtrace_consume_rec_f *rf,
    void *arg)
{
	struct dt_trace *t = h->trace;

	if (!check_ready(h, "dtrace_consume"))
		return -1;
	set_caller(h, fp, pf, rf, arg);
	return t->state == DT_TRACE_STOPPED ? read_all(h, t, true) : consume_due(h, t);
}

int dtrace_consume(dtrace_hdl_t *h, FILE *fp, dtrace_consume_probe_f *pf, dtrace_consume_rec_f *rf, void *arg)
{
	DT_PUBLIC_SURE(h, jumped_out(h, -1), consume_once(h, fp, pf, rf, arg));
}

/* ---- aggregations ---- */

static int print_rows(dtrace_hdl_t *h, int64_t id, struct dt_aggrow *rows, size_t n)
{
	struct dt_sink *sink = h->trace->sink;
	struct dt_sink_aggs aggs = { &id, 1, rows, n };
	int err = sink->type->aggregation(sink, &aggs);

	return err != 0 ? dt_handle_error(h, err) : 0;
}

/*
 * Those no printa() has shown, in the order of the program; aggsortrev turns that round too. Asked again,
 * they are printed again.
 */
static int print_sorted(dtrace_hdl_t *h)
{
	bool reverse = dt_options_on(&h->options, DT_OPT_aggsortrev);
	struct dt_consumer *c = h->trace->consumer;
	int err = 0;

	for (uint32_t i = 0, n = dt_consumer_naggs(c); i < n && err == 0; i++) {
		struct dt_agg *agg = dt_consumer_agg_at(c, reverse ? n - 1 - i : i);
		int64_t id = agg->layout->id;
		struct dt_aggrow *rows;
		size_t nrows;

		if (agg->printed || agg->n == 0)
			continue;
		rows = dt_trace_sorted(h, &id, 1, &nrows);
		err = print_rows(h, id, rows, nrows);
	}
	return err;
}

/* For dtrace_aggregate_print() with a walk of the caller's: prints one element as it comes. */
static int print_element(const dtrace_aggdata_t *d, void *arg)
{
	struct dt_aggdata *a = (struct dt_aggdata *)d;

	if (a->agg->printed)
		return DTRACE_AGGWALK_NEXT;
	return print_rows(arg, a->agg->layout->id, &a->row, 1) != 0 ? DTRACE_AGGWALK_ERROR :
	    DTRACE_AGGWALK_NEXT;
}

/* The end is written after the aggregations, since nothing may follow it. */
static int print_aggregations(dtrace_hdl_t *h, FILE *fp, dtrace_aggregate_walk_f *walk)
{
	struct dt_trace *t = h->trace;

	if (t->consumer == NULL)
		return 0;
	set_caller(h, fp, t->pf, t->caller.rec, t->caller.arg);
	if ((walk != NULL ? walk(h, print_element, h) : print_sorted(h)) != 0)
		return -1;
	dt_trace_sink_end(h);
	if (t->state == DT_TRACE_STOPPED)
		dt_trace_hints(h);
	return put_out(h, t, fp);
}

int dtrace_aggregate_print(dtrace_hdl_t *h, FILE *fp, dtrace_aggregate_walk_f *walk)
{
	DT_PUBLIC(h, -1, print_aggregations(h, fp, walk));
}

/* ---- formats, as FreeBSD's front end calls them ---- */

/* The format is an option (-x oformat), which was checked when it was set. */
int dtrace_oformat_configure(dtrace_hdl_t *h)
{
	h->err = 0;
	return 0;
}

/* The beginning is written by the first dtrace_work(), which knows the file. */
void dtrace_oformat_setup(dtrace_hdl_t *h)
{
	h->err = 0;
}

static void end_format(dtrace_hdl_t *h)
{
	struct dt_trace *t = h->trace;

	if (t->sink == NULL)
		return;
	dt_trace_sink_end(h);
	(void)put_out(h, t, t->fp);
}

/* What a format has at its end, once; dtrace_aggregate_print() after dtrace_stop() brings it too. */
void dtrace_oformat_teardown(dtrace_hdl_t *h)
{
	DT_PUBLIC_VOID(h, end_format(h));
}
