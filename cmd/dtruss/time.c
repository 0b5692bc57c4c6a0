/* SPDX-License-Identifier: BSD-2-Clause */
/* Clocks and times. */
#include "decode.h"

#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/timex.h>

static const struct name clocks[] = {
	{ 0, "CLOCK_REALTIME" }, { 1, "CLOCK_MONOTONIC" }, { 2, "CLOCK_PROCESS_CPUTIME_ID" },
	{ 3, "CLOCK_THREAD_CPUTIME_ID" }, { 4, "CLOCK_MONOTONIC_RAW" }, { 5, "CLOCK_REALTIME_COARSE" },
	{ 6, "CLOCK_MONOTONIC_COARSE" }, { 7, "CLOCK_BOOTTIME" }, { 8, "CLOCK_REALTIME_ALARM" },
	{ 9, "CLOCK_BOOTTIME_ALARM" }, { 11, "CLOCK_TAI" },
};
static const struct name timer_abs[] = { { 1, "TIMER_ABSTIME" } };
static const struct name timerfd_abs[] = { { 1, "TFD_TIMER_ABSTIME" }, { 2, "TFD_TIMER_CANCEL_ON_SET" } };
static const struct name itimers[] = { { 0, "ITIMER_REAL" }, { 1, "ITIMER_VIRTUAL" }, { 2, "ITIMER_PROF" } };

/* `fraction` is tv_nsec or tv_usec. */
void put_timespec(struct text *t, int64_t sec, int64_t nsec, const char *fraction)
{
	text_put(t, "{tv_sec=");
	text_int(t, sec);
	text_put(t, ", ");
	text_put(t, fraction);
	text_char(t, '=');
	if (nsec == 0x3fffffff)
		text_put(t, "UTIME_NOW");
	else if (nsec == 0x3ffffffe)
		text_put(t, "UTIME_OMIT");
	else
		text_int(t, nsec);
	text_char(t, '}');
}

static const char *fraction_of(const struct kind *k) { return k->nnames & 1 ? "tv_usec" : "tv_nsec"; }

/* nnames: bit 0 microseconds, bit 1 only what a call that succeeded has written, bit 2 only if interrupted */
static void put_time(struct text *t, const struct call *c, unsigned arg, const struct kind *k)
{
	int64_t v[2];

	if (((k->nnames & 2) && call_failed(c)) ||
	    ((k->nnames & 4) && c->ret != -4 && c->ret != -514 && c->ret != -516)) {
		text_addr(t, c->a[arg]);
		return;
	}
	if (call_struct(t, c, arg, 0, v, sizeof(v)))
		put_timespec(t, v[0], v[1], fraction_of(k));
}

/* A time that the call writes over: both words are kept at the entry. */
static void put_given(struct text *t, const struct call *c, unsigned arg, const struct kind *k)
{
	if (c->a[arg] == 0 || c->data == NULL)
		text_addr(t, c->a[arg]);
	else
		put_timespec(t, call_number(c, arg, 0), call_number(c, arg, 1), fraction_of(k));
}

void put_left(struct text *t, const struct call *c)
{
	for (unsigned arg = 0; arg < c->row->nargs; arg++) {
		const struct kind *k = c->row->kind[arg];

		if (k->put != put_given || c->a[arg] == 0 || c->data == NULL)
			continue;
		text_put(t, ", left ");
		put_timespec(t, call_number(c, arg, 2), call_number(c, arg, 3), fraction_of(k));
	}
}

static void put_times2(struct text *t, const struct call *c, unsigned arg, const struct kind *k)
{
	int64_t v[4];

	if (!call_struct(t, c, arg, 0, v, sizeof(v)))
		return;
	text_char(t, '[');
	put_timespec(t, v[0], v[1], fraction_of(k));
	text_put(t, ", ");
	put_timespec(t, v[2], v[3], fraction_of(k));
	text_char(t, ']');
}

static void put_interval(struct text *t, const struct call *c, unsigned arg, const struct kind *k)
{
	int64_t v[4];

	if (!call_written(t, c, arg, (k->nnames & 2) != 0, v, sizeof(v)))
		return;
	text_put(t, "{it_interval=");
	put_timespec(t, v[0], v[1], fraction_of(k));
	text_put(t, ", it_value=");
	put_timespec(t, v[2], v[3], fraction_of(k));
	text_char(t, '}');
}

static void put_tms(struct text *t, const struct call *c, unsigned arg, const struct kind *k)
{
	struct tms v;

	(void)k;
	if (call_struct(t, c, arg, 0, &v, sizeof(v)))
		text_format(t, "{tms_utime=%ld, tms_stime=%ld, tms_cutime=%ld, tms_cstime=%ld}",
		    (long)v.tms_utime,
		    (long)v.tms_stime, (long)v.tms_cutime, (long)v.tms_cstime);
}

static void put_clock(struct text *t, const struct call *c, unsigned arg, const struct kind *k)
{
	int32_t v = (int32_t)c->a[arg];

	if (v < 0)
		text_format(t, "%s(%d)", v & 4 ? "CLOCK_THREAD_CPUTIME_ID" : "CLOCK_PROCESS_CPUTIME_ID", ~(v
		    >> 3));
	else
		put_name(t, (uint32_t)v, k->names, k->nnames, "CLOCK_???");
}

/* What a process has used, its beginning. wait4() that finds no process writes nothing. */
static void put_rusage(struct text *t, const struct call *c, unsigned arg, const struct kind *k)
{
	struct rusage u;

	if (call_failed(c) || ((k->nnames & 2) && c->ret == 0 && strcmp(c->row->name, "wait4") == 0)) {
		text_addr(t, c->a[arg]);
		return;
	}
	if (!call_struct(t, c, arg, 0, &u, sizeof(u)))
		return;
	text_put(t, "{ru_utime=");
	put_timespec(t, u.ru_utime.tv_sec, u.ru_utime.tv_usec, "tv_usec");
	text_put(t, ", ru_stime=");
	put_timespec(t, u.ru_stime.tv_sec, u.ru_stime.tv_usec, "tv_usec");
	text_put(t, ", ...}");
}

#define SECOND_WORD "*(int64_t *)copyin(%a + 8, 8 & " NOT_NULL("%a") ")"
#define GIVEN .put = put_given, .nrecs = 4, .fetch = "trace(self->t0); trace(self->t1); " \
	"trace(" LONG_AT("%a") "); trace(" SECOND_WORD ");", .entry = \
	"self->t0 = " LONG_AT("%a") "; self->t1 = " SECOND_WORD ";"

static const struct kind list[] = {
	{ .name = "tsgiven", GIVEN },
	{ .name = "tvgiven", GIVEN, .nnames = 1 },
	{ .name = "clock", .put = put_clock, NAMES(clocks) },
	{ .name = "timerabs", .put = put_kind_flags, NAMES(timer_abs) },
	{ .name = "timerfdabs", .put = put_kind_flags, NAMES(timerfd_abs) },
	{ .name = "itimer", .put = put_kind_name, NAMES(itimers) },
	{ .name = "timespec", .put = put_time, .fetch = IN("16"), .nrecs = 1 },
	{ .name = "otimespec", .put = put_time, .fetch = OUT("16"), .nrecs = 1, .nnames = 2 },
	{ .name = "timeval", .put = put_time, .fetch = IN("16"), .nrecs = 1, .nnames = 1 },
	{ .name = "otimeval", .put = put_time, .fetch = OUT("16"), .nrecs = 1, .nnames = 3 },
	{ .name = "remaining", .put = put_time, .fetch = "tracemem(copyin(%a, 16 & " NOT_NULL("%a")
	    " & (arg0 >> 63)), 16);", .nrecs = 1, .nnames = 4 },
	{ .name = "timespecs", .put = put_times2, .fetch = IN("32"), .nrecs = 1 },
	{ .name = "timevals", .put = put_times2, .fetch = IN("32"), .nrecs = 1, .nnames = 1 },
	{ .name = "itimersp", .put = put_interval, .fetch = IN("32"), .nrecs = 1 },
	{ .name = "oitimersp", .put = put_interval, .fetch = OUT("32"), .nrecs = 1, .nnames = 2 },
	{ .name = "itimerval", .put = put_interval, .fetch = IN("32"), .nrecs = 1, .nnames = 1 },
	{ .name = "oitimerval", .put = put_interval, .fetch = OUT("32"), .nrecs = 1, .nnames = 3 },
	{ .name = "tms", .put = put_tms, .fetch = OUT("32"), .nrecs = 1 },
	{ .name = "rusage", .put = put_rusage, .fetch = OUT("144"), .nrecs = 1 },
	{ .name = "orusage", .put = put_rusage, .fetch = OUT("144"), .nrecs = 1, .nnames = 2 },
};
KINDS(kinds_time);
