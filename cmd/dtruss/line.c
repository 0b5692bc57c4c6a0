/* SPDX-License-Identifier: BSD-2-Clause */
/* Lines (line.h): what stands before a call, its arguments, and its result. */
#include "line.h"

#include <errno.h>
#include <string.h>
#include <time.h>

void lines_init(struct lines *l, const struct args *args, FILE *out)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	*l = (struct lines){ .args = args, .out = out };
	l->wall = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec - (int64_t)now_ns();
}

static void write_out(struct lines *l)
{
	fwrite(l->text.v + l->written, 1, l->text.n - l->written, l->out);
	l->written = l->text.n;
}

void line_end(struct lines *l)
{
	text_char(&l->text, '\n');
	write_out(l);
	l->text.n = l->written = 0;
	l->open = 0;
}

void line_pause(struct lines *l, pid_t tid)
{
	write_out(l);
	l->open = tid;
}

/* ---- before the call ---- */

static void put_stamp(struct lines *l, uint64_t time)
{
	int64_t ns = (int64_t)time + l->wall;
	time_t s = (time_t)(ns / 1000000000);
	struct tm tm;
	char buf[32];

	if (l->args->stamps > 2) {
		text_format(&l->text, "%lld.%06lld ", (long long)s, (long long)(ns % 1000000000 / 1000));
		return;
	}
	localtime_r(&s, &tm);
	strftime(buf, sizeof(buf), "%H:%M:%S", &tm);
	text_put(&l->text, buf);
	if (l->args->stamps > 1)
		text_format(&l->text, ".%06lld", (long long)(ns % 1000000000 / 1000));
	text_char(&l->text, ' ');
}

/* Times can go back if another CPU's clock is slightly late: 0 then. */
static void put_since(struct lines *l, uint64_t time)
{
	uint64_t us = l->last != 0 && time > l->last ? (time - l->last) / 1000 : 0;

	text_format(&l->text, "%6llu.%06llu ", (unsigned long long)(us / 1000000), (unsigned long long)(us %
	    1000000));
	l->last = time;
}

void line_begin(struct lines *l, pid_t tid, uint64_t time)
{
	if (l->open != 0) {
		text_put(&l->text, " <unfinished ...>");
		line_end(l);
	}
	if (l->args->follow && l->args->output != NULL)
		text_format(&l->text, "%-5d ", (int)tid);
	else if (l->args->follow && l->threads > 1)
		text_format(&l->text, "[pid %5d] ", (int)tid);
	if (l->args->stamps > 0)
		put_stamp(l, time);
	if (l->args->relative)
		put_since(l, time);
}

/* ---- arguments ---- */

/* An argument for which nothing is put is left out, with its comma. */
unsigned line_args(struct lines *l, const struct call *c, unsigned from)
{
	const struct row *r = c->row;

	for (unsigned k = from; k < r->nargs; k++) {
		size_t before = l->text.n;

		if (c->inside && r->kind[k]->nrecs > 0)
			return k;
		r->kind[k]->put(&l->text, c, k, r->kind[k]);
		if (l->text.n == before && before >= 2 && memcmp(l->text.v + before - 2, ", ", 2) == 0)
			l->text.n -= 2;
		if (k + 1 < r->nargs)
			text_put(&l->text, ", ");
	}
	if (r->nargs > 0 && l->text.n >= 2 && memcmp(l->text.v + l->text.n - 2, ", ", 2) == 0)
		l->text.n -= 2;
	return r->nargs;
}

/* ---- results ---- */

static const char *restart_reason(int e)
{
	switch (e) {
	case 512: return "To be restarted if SA_RESTART is set";
	case 513: return "To be restarted";
	case 514: return "To be restarted if no handler";
	default: return "Interrupted by signal";
	}
}

static void put_error(struct text *t, int e)
{
	const char *name = errno_name(e);

	if (e >= 512 && e <= 516)
		text_format(t, "? %s (%s)", name, restart_reason(e));
	else if (name != NULL)
		text_format(t, "-1 %s (%s)", name, strerror(e));
	else
		text_format(t, "-1 (errno %d)", e);
}

void line_result(struct lines *l, const struct call *c, bool unknown)
{
	struct text *t = &l->text;

	text_char(t, ')');
	while (t->n < (size_t)l->args->column - 1 && !t->failed)
		text_char(t, ' ');
	text_put(t, " = ");
	if (unknown)
		text_char(t, '?');
	else if (call_failed(c))
		put_error(t, (int)-c->ret);
	else if (c->row->ret != NULL)
		c->row->ret->put(t, c, CALL_RET, c->row->ret);
	else
		text_int(t, c->ret);
	if (l->args->durations && !unknown && !c->blind) {
		uint64_t us = c->end > c->begin ? (c->end - c->begin) / 1000 : 0;

		text_format(t, " <%llu.%06llu>", (unsigned long long)(us / 1000000),
		    (unsigned long long)(us % 1000000));
	}
	line_end(l);
}
