/* SPDX-License-Identifier: BSD-2-Clause */
/* What the command adds to what the library writes; show.h says what there is of it. */
#include "show.h"

#include "base.h"
#include "terminal.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>

bool show_option_on(dtrace_hdl_t *dtp, const char *name)
{
	dtrace_optval_t v;

	return dtrace_getopt(dtp, name, &v) == 0 && v != DTRACEOPT_UNSET;
}

/* After each write: keeps the reason of the first that failed, before errno changes. */
static void note_failure(struct show *s)
{
	if (s->why == 0 && ferror_unlocked(s->out))
		s->why = errno;
}

/* ---- text ---- */

/* The text before the records of a firing, in the room that the library gives for it. */
struct line { char *text; size_t len, size; };

__attribute__((format(printf, 2, 3))) static void add(struct line *l, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(l->text + l->len, l->size - l->len, fmt, ap);
	va_end(ap);
	if (n > 0)
		l->len += (size_t)n < l->size - l->len ? (size_t)n : l->size - l->len - 1;
}

/* Once, before the first firing: -F has columns of its own, and -q has none. */
static void add_header(struct show *s, struct line *l)
{
	if (s->header)
		return;
	s->header = true;
	if (s->quiet && !s->flowindent)
		return;
	add(l, "%s%s%s", s->color ? TERMINAL_BOLD : "", s->walltime ? "       WALLTIME " : "",
	    s->time_column ? "            TIME " : "");
	if (s->flowindent)
		add(l, "%3s %-41s", "CPU", "FUNCTION");
	else
		add(l, "%3s %6s %*s", "CPU", "ID", s->names, "FUNCTION:NAME");
	add(l, "%s\n", s->color ? TERMINAL_PLAIN : "");
}

/*
 * The time of day less the clock of timestamps. Another process may run in between: the closest of three
 * looks counts.
 */
static int64_t clock_offset(void)
{
	uint64_t closest = UINT64_MAX;
	int64_t offset = 0;

	for (int i = 0; i < 3; i++) {
		uint64_t before = now_ns(), after;
		struct timespec ts;

		clock_gettime(CLOCK_REALTIME, &ts);
		after = now_ns();
		if (after - before < closest) {
			closest = after - before;
			offset = (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec -
			    (int64_t)(before + closest / 2);
		}
	}
	return offset;
}

/*
 * -x walltime: the time of day when the probe fired, not that of printing. The clock may be set
 * while we trace, so it is read once a second; differences below a millisecond come from the reading
 * itself.
 */
static void wall_text(struct show *s, uint64_t timestamp, char text[32])
{
	struct show_clock *c = &s->clock;
	int64_t t;

	if (c->looked == 0 || timestamp - c->looked > 1000000000u) {
		int64_t offset = clock_offset();

		if (c->looked == 0 || llabs(offset - c->offset) > 1000000)
			c->offset = offset;
		c->looked = timestamp;
	}
	t = (int64_t)timestamp + c->offset;
	if (t / 1000000000 != c->second || c->text[0] == '\0') {
		time_t second = (time_t)(t / 1000000000);
		struct tm tm;

		c->second = second;
		localtime_r(&second, &tm);
		strftime(c->text, sizeof(c->text), "%H:%M:%S", &tm);
	}
	snprintf(text, 32, "%s.%06u ", c->text, (unsigned)(t % 1000000000 / 1000));
}

/*
 * -x walltime, unless the stream puts it before each line; -t: seconds since the machine started, as
 * `timestamp` counts them.
 */
static void add_time(struct show *s, struct line *l, const dtrace_probedata_t *d)
{
	char text[32] = "";

	if (s->walltime)
		wall_text(s, d->dtpda_timestamp, text);
	if (s->stamp.out != NULL)
		stamp_next(&s->stamp, s->out, text);
	else if (text[0] != '\0')
		add(l, "%s", text);
	if (s->time_column)
		add(l, "%6llu.%09llu ", (unsigned long long)(d->dtpda_timestamp / 1000000000u),
		    (unsigned long long)(d->dtpda_timestamp % 1000000000u));
}

/*
 * CPU, id and name of the probe. The text of the last few is kept, as floods of records are mostly from a few
 * probes, and formatting is what they cost.
 */
static void add_columns(struct show *s, struct line *l, processorid_t cpu, const dtrace_probedesc_t *p)
{
	struct show_columns *c = &s->kept[(p->dtpd_id + 5u * (unsigned)cpu) % SHOW_KEPT];

	if (c->id != p->dtpd_id || c->cpu != cpu) {
		char name[DTRACE_FUNCNAMELEN + DTRACE_NAMELEN + 1];

		snprintf(name, sizeof(name), "%s:%s", p->dtpd_func, p->dtpd_name);
		c->id = p->dtpd_id;
		c->cpu = cpu;
		c->len = snprintf(c->text, sizeof(c->text), "%3d %6u %*s ", cpu, p->dtpd_id, s->names, name);
	}
	if ((size_t)c->len < l->size - l->len) {
		memcpy(l->text + l->len, c->text, (size_t)c->len);
		l->len += (size_t)c->len;
	}
}

/* Before the records of a firing: its columns, or with -F its place in the flow. */
static void add_firing(struct show *s, struct line *l, const dtrace_probedata_t *d)
{
	const dtrace_probedesc_t *p = d->dtpda_pdesc;
	char name[DTRACE_FUNCNAMELEN + DTRACE_NAMELEN + 160];

	add_header(s, l);
	add_time(s, l, d);
	if (s->flowindent) {
		if (d->dtpda_flow == DTRACEFLOW_NONE)
			snprintf(name, sizeof(name), "%*s%s%s:%s", d->dtpda_indent, "", d->dtpda_prefix,
			    p->dtpd_func, p->dtpd_name);
		else
			snprintf(name, sizeof(name), "%*s%s%s", d->dtpda_indent, "", d->dtpda_prefix,
			    p->dtpd_func);
		add(l, "%3d %-41s ", d->dtpda_cpu, name);
	} else if (!s->quiet) {
		add_columns(s, l, d->dtpda_cpu, p);
	}
}

/* For the library: what stands around the records that it prints. */
static int text_line(dtrace_linedata_t *d, void *arg)
{
	struct show *s = arg;
	struct line l = { d->dtlda_text, 0, d->dtlda_size };

	add_firing(s, &l, d->dtlda_probe);
	d->dtlda_end = s->quiet ? NULL : "\n";
	return (int)l.len;
}

/*
 * A stream that puts the time before each line (stamp.h) has to hear of each firing before its text comes, so
 * we write to it ourselves.
 */
static int stamp_probe(const dtrace_probedata_t *d, void *arg)
{
	struct show *s = arg;
	char text[DTRACE_LINE_MAX];
	struct line l = { text, 0, sizeof(text) };

	if (__fpending(s->out) > SHOW_BUFFER / 2)
		fflush(s->out);			/* between two lines */
	add_firing(s, &l, d);
	fwrite_unlocked(text, 1, l.len, s->out);
	note_failure(s);
	return DTRACE_CONSUME_THIS;
}

/* The library prints each record; this ends the line after the last (rec NULL). */
static int stamp_record(const dtrace_probedata_t *d, const dtrace_recdesc_t *rec, void *arg)
{
	struct show *s = arg;

	(void)d;
	if (rec != NULL)
		return DTRACE_CONSUME_THIS;
	if (!s->quiet)
		putc_unlocked('\n', s->out);
	note_failure(s);
	return DTRACE_CONSUME_NEXT;
}

/* What was traced before a message stands before it, also where both go to one file. */
static void before_message(struct show *s)
{
	fflush(s->out);
	note_failure(s);
}

/* Errors that come too often are held back and reported together (faults.h). */
static int text_error(const dtrace_errdata_t *d, void *arg)
{
	struct show *s = arg;

	if (!faults_keep(&s->faults, d)) {
		before_message(s);
		fprintf(stderr, "dtrace: %s", d->dteda_msg);
	}
	return DTRACE_HANDLE_OK;
}

static int text_drop(const dtrace_dropdata_t *d, void *arg)
{
	before_message(arg);
	fprintf(stderr, "dtrace: %s", d->dtdda_msg);
	return DTRACE_HANDLE_OK;
}

static void text_blank(struct show *s)
{
	putc('\n', s->out);
}

/* ---- formats that write everything themselves ---- */

static int no_error(const dtrace_errdata_t *d, void *arg)
{
	(void)d;
	(void)arg;
	return DTRACE_HANDLE_OK;
}

static int no_drop(const dtrace_dropdata_t *d, void *arg)
{
	(void)d;
	(void)arg;
	return DTRACE_HANDLE_OK;
}

static void no_blank(struct show *s)
{
	(void)s;
}

/* ---- -B ---- */

/* Text in quotes on one line. */
static void put_quoted(FILE *out, const char *text)
{
	putc('"', out);
	for (; *text != '\0'; text++)
		switch (*text) {
		case '\n': fputs("\\n", out); break;
		case '"': case '\\': putc('\\', out); putc(*text, out); break;
		default: putc(*text, out);
		}
	putc('"', out);
}

/* -B: each piece of text on a line of its own, with what it was made of. */
static int on_buffered(const dtrace_bufdata_t *b, void *arg)
{
	static const struct { uint32_t flag; const char *name; } flags[] = {
		{ DTRACE_BUFDATA_AGGKEY, "AGGKEY" }, { DTRACE_BUFDATA_AGGVAL, "AGGVAL" },
			{ DTRACE_BUFDATA_AGGFORMAT, "AGGFORMAT" },
		{ DTRACE_BUFDATA_AGGLAST, "AGGLAST" },
	};
	struct show *s = arg;
	char name[DTRACE_DESC2STR_MAX];

	put_quoted(s->out, b->dtbda_buffered);
	if (b->dtbda_probe != NULL) {
		const dtrace_probedesc_t *p = b->dtbda_probe->dtpda_pdesc;

		snprintf(name, sizeof(name), "%s:%s:%s:%s", p->dtpd_provider, p->dtpd_mod, p->dtpd_func,
		    p->dtpd_name);
		fprintf(s->out, " probe %s", name);
	}
	if (b->dtbda_aggdata != NULL)
		fprintf(s->out, " aggregation %s", b->dtbda_aggdata->dtada_desc->dtagd_name);
	if (b->dtbda_recdesc != NULL)
		fprintf(s->out, " action 0x%x size %u", b->dtbda_recdesc->dtrd_action,
		    b->dtbda_recdesc->dtrd_size);
	for (size_t i = 0; i < COUNT(flags); i++)
		if (b->dtbda_flags & flags[i].flag)
			fprintf(s->out, " %s", flags[i].name);
	putc('\n', s->out);
	note_failure(s);
	return DTRACE_HANDLE_OK;
}

FILE *show_file(const struct show *s)
{
	return s->buffered ? NULL : s->out;
}

/* ---- which of them ---- */

/*
 * By dtrace_oformat(): text needs all our help, tables need errors and drops, structured formats none.
 */
static const struct show_kind kinds[] = {
	[DTRACE_OFORMAT_TEXT] = { NULL, dtrace_consume_all, text_error, text_drop, text_blank, false },
	[DTRACE_OFORMAT_STRUCTURED] = { NULL, dtrace_consume_all, no_error, no_drop, no_blank, true },
	[DTRACE_OFORMAT_TABLE] = { NULL, dtrace_consume_all, text_error, text_drop, no_blank, true },
	[DTRACE_OFORMAT_FILE] = { NULL, dtrace_consume_all, text_error, text_drop, no_blank, true },
};
static const struct show_kind stamped = { stamp_probe, stamp_record, text_error, text_drop, text_blank,
	false };

void show_options(struct show *s)
{
	s->kind = &kinds[s->buffered ? DTRACE_OFORMAT_TABLE : dtrace_oformat(s->dtp)];
	s->quiet = show_option_on(s->dtp, "quiet");
	s->flowindent = show_option_on(s->dtp, "flowindent");
	s->walltime = show_option_on(s->dtp, "walltime");
	s->color = terminal_color(s->dtp, fileno(s->out));
	s->lines = s->kind == &kinds[DTRACE_OFORMAT_TEXT];
	if (s->lines && s->stamp.out != NULL)
		s->kind = &stamped;
	s->lines &= s->kind != &stamped;
	/* a quiet program has no text of ours, and floods of its records need not ask for it */
	(void)dtrace_handle_line(s->dtp, s->lines && (!s->quiet || s->flowindent || s->walltime ||
	    s->time_column) ? text_line : NULL, s);
}

/* ---- widths ---- */

enum { NAMES = 32, PROBES_MAX = 4096 };	/* the historic width; with more probes it is not computed */

static int measure_probe(dtrace_hdl_t *dtp, const dtrace_probedesc_t *p, void *arg)
{
	int *longest = arg, n = (int)(strlen(p->dtpd_func) + 1 + strlen(p->dtpd_name));

	(void)dtp;
	*longest = n > *longest ? n : *longest;
	return 0;
}

static int measure_statement(dtrace_hdl_t *dtp, dtrace_prog_t *prog, dtrace_stmtdesc_t *stmt, void *arg)
{
	(void)prog;
	(void)dtrace_probe_iter(dtp, &stmt->dtsd_ecbdesc->dted_probe, measure_probe, arg);
	return 0;
}

void show_measure(struct show *s, dtrace_prog_t *const *programs, int nprograms, unsigned n)
{
	int longest = (int)strlen("FUNCTION:NAME"), columns = terminal_columns(s->dtp, fileno(s->out));

	s->names = NAMES;
	if (columns == 0 || n > PROBES_MAX || s->quiet || s->flowindent || !s->lines)
		return;
	for (int i = 0; i < nprograms; i++)
		(void)dtrace_stmt_iter(s->dtp, programs[i], measure_statement, &longest);
	s->names = longest < columns / 2 ? longest : columns / 2 > NAMES ? columns / 2 : NAMES;
}

int show_handlers(struct show *s)
{
	if (s->buffered && dtrace_handle_buffered(s->dtp, on_buffered, s) != 0)
		return -1;
	if (dtrace_handle_err(s->dtp, s->kind->error, s) != 0)
		return -1;
	return dtrace_handle_drop(s->dtp, s->kind->drop, s);
}
