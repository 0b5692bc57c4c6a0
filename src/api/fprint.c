/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The formats and records of a caller: dtrace_fprintf() and its siblings do what the actions printf(),
 * printa(), system() and freopen() do, with records that a record function was given. The description of a
 * record does not say its type; the conversion that prints it does. Records are checked against the length
 * the caller gives, because they may come from anywhere.
 */
#include "handle/entry.h"
#include "trace/trace.h"
#include "output/print.h"
#include "value/value_record.h"

#include <errno.h>
#include <stdlib.h>

/* What dtrace_printf_create() gives out; it belongs to the handle. */
struct fmtdata { char *text; struct dt_format *format; };

/* ---- formats ---- */

/* A format in the handle's arena; NULL with the error set if it is no format. */
static void *new_format(struct dtrace_hdl *h, const char *text)
{
	struct fmtdata *f = DT_NEW(h->arena, struct fmtdata);
	struct dt_format_error err;

	if (text == NULL) {
		dt_handle_error(h, EINVAL);
		return NULL;
	}
	f->text = dt_arena_strdup(h->arena, text);
	f->format = dt_format_parse(h->arena, f->text, strlen(f->text), &err);
	if (f->format == NULL) {
		dt_handle_errorf(h, EDT_COMPILER, "%s", err.msg);
		return NULL;
	}
	return f;
}

/* Conversions of aggregations belong to printa() alone. */
static void *new_printf(struct dtrace_hdl *h, const char *text)
{
	struct fmtdata *f = new_format(h, text);

	if (f != NULL && f->format->naggs > 0) {
		dt_handle_errorf(h, EDT_COMPILER, "%%@ is for printa()");
		return NULL;
	}
	return f;
}

void *dtrace_printf_create(dtrace_hdl_t *h, const char *text)
{
	DT_PUBLIC(h, NULL, new_printf(h, text));
}

void *dtrace_printa_create(dtrace_hdl_t *h, const char *text)
{
	DT_PUBLIC(h, NULL, new_format(h, text));
}

/* The text the format was made from. As snprintf(), it returns the length of the whole text. */
size_t dtrace_printf_format(dtrace_hdl_t *h, void *format, char *buf, size_t len)
{
	const struct fmtdata *f = format;

	(void)h;
	if (len > 0)
		snprintf(buf, len, "%s", f->text);
	return strlen(f->text);
}

/* ---- records ---- */

/*
 * The arguments of one call: the format (NULL: none), the firing, `n` records, and the `len` bytes they lie
 * in.
 */
struct given {
	const struct fmtdata *f;
	const dtrace_probedata_t *data;
	const dtrace_recdesc_t *recs;
	unsigned n;
	const char *buf;
	size_t len;
};

/* The first n records lie inside the data. Everything that reads a record comes after this. */
static int check_records(struct dtrace_hdl *h, const struct given *g, unsigned n)
{
	if (n > g->n)
		return dt_handle_error(h, EDT_DMISMATCH);
	for (unsigned i = 0; i < n; i++) {
		const dtrace_recdesc_t *r = &g->recs[i];

		if (r->dtrd_size > g->len || r->dtrd_offset > g->len - r->dtrd_size)
			return dt_handle_error(h, EDT_DOFFSET);
	}
	return 0;
}

static bool is_plain_integer(const dtrace_recdesc_t *r)
{
	return r->dtrd_size == 1 || r->dtrd_size == 2 || r->dtrd_size == 4 || r->dtrd_size == 8;
}

/* One record as a value: stacks and addresses by their action, others as text, integer or bytes. */
static struct dt_value value_of(const struct given *g, const dtrace_recdesc_t *r, bool text)
{
	struct dt_act act = { .kind = r->dtrd_action, .arg = r->dtrd_arg };
	const char *at = g->buf + r->dtrd_offset;
	struct dt_value v = { .kind = text ? DT_V_STRING : DT_V_BYTES, .bytes = at, .len = r->dtrd_size };

	if (r->dtrd_action >= DTRACEACT_USTACK && !DTRACEACT_ISPRINTFLIKE(r->dtrd_action)) {
		dt_record_value(&act, at, r->dtrd_size, &v);
	} else if (!text && is_plain_integer(r)) {
		v = (struct dt_value){ .kind = DT_V_INT, .size = (uint8_t)r->dtrd_size, .is_signed = true };
		memcpy(&v.i, at, r->dtrd_size);	/* the machines we know have the low byte first */
	}
	return v;
}

/* Conversions that print a string; all others print a number. */
static bool takes_text(const struct dt_conv *c)
{
	return c->row != NULL && strchr("sSI", c->row->name[0]) != NULL && c->row->name[1] == '\0';
}

/*
 * The values of a format's conversions, including those for the * of a width or precision. Returns how many
 * records they are. `v` has room for all arguments of the format.
 */
static unsigned values_of(const struct given *g, unsigned first, struct dt_value *v)
{
	unsigned n = 0;

	for (uint32_t i = 0; i < g->f->format->nconv; i++) {
		const struct dt_conv *c = &g->f->format->conv[i];
		unsigned stars = !!(c->flags & DT_CF_STARWIDTH) + !!(c->flags & DT_CF_STARPREC);

		for (unsigned k = 0; k < stars; k++, n++)
			v[n] = value_of(g, &g->recs[first + n], false);
		if (c->row != NULL && n < g->f->format->nargs) {
			v[n] = value_of(g, &g->recs[first + n], takes_text(c));
			n++;
		}
	}
	return n;
}

/*
 * Prints the format into `out`. A statement without arguments has one empty record before them. Returns how
 * many records it took (at least 1, so that callers move on), or -1.
 */
static int print_text(struct dtrace_hdl *h, const struct given *g, struct dt_out *out)
{
	unsigned first = g->n > 0 && g->recs[0].dtrd_size == 0, n = first + g->f->format->nargs;
	struct dt_value *v;

	if (check_records(h, g, n) != 0)
		return -1;
	v = calloc(n + 1, sizeof(*v));
	if (v == NULL)
		return dt_handle_error(h, EDT_NOMEM);
	dt_format_print(out, g->f->format, v, values_of(g, first, v));
	free(v);
	return n > 0 ? (int)n : 1;
}

/* ---- where it goes ---- */

/* To the file, or in one piece to the caller's buffered handler. */
static int put_text(struct dtrace_hdl *h, FILE *fp, const struct given *g, const struct dt_out *text)
{
	dtrace_bufdata_t d = { .dtbda_handle = h, .dtbda_buffered = dt_out_text(text),
		.dtbda_probe = (dtrace_probedata_t *)g->data,
		.dtbda_recdesc = g->recs };

	if (text->failed)
		return dt_handle_error(h, EDT_NOMEM);
	if (fp != NULL)
		return fwrite(dt_out_text(text), 1, text->len, fp) == text->len ? 0 :
		    dt_handle_error(h, errno);
	if (h->on.buffered_f == NULL)
		return dt_handle_error(h, EDT_NOBUFFERED);
	return h->on.buffered_f(&d, h->on.buffered_arg) == DTRACE_HANDLE_ABORT ?
	    dt_handle_error(h, EDT_DIRABORT) :
	    0;
}

static int do_fprintf(struct dtrace_hdl *h, FILE *fp, const struct given *g)
{
	struct dt_out out;
	int n;

	dt_trace_text(h, h->trace);
	dt_out_init(&out, NULL, &h->trace->popts);
	n = print_text(h, g, &out);
	if (n > 0 && put_text(h, fp, g, &out) != 0)
		n = -1;
	dt_out_free(&out);
	return n;
}

/* How many records the statement has, each of which names an aggregation; -1: they do not. */
static int count_aggs(struct dtrace_hdl *h, const struct given *g)
{
	unsigned n = 0;

	while (n < g->n && g->recs[n].dtrd_uarg == g->recs[0].dtrd_uarg)
		n++;
	if (n == 0 || h->trace->consumer == NULL)
		return dt_handle_error(h, EDT_DMISMATCH);
	return check_records(h, g, n) != 0 ? -1 : (int)n;
}

/* Rows are sorted as printa() sorts them; g->f NULL prints the table that has no format. */
static int do_fprinta(struct dtrace_hdl *h, FILE *fp, const struct given *g)
{
	struct dt_statement_ops ops = dt_trace_effects(h);
	int n = count_aggs(h, g), err;
	struct dt_aggrow *rows;
	struct dt_out out;
	size_t nrows;
	int64_t *ids;

	if (n < 0 || (ids = calloc((size_t)n, sizeof(*ids))) == NULL)
		return n < 0 ? -1 : dt_handle_error(h, EDT_NOMEM);
	for (int i = 0; i < n; i++) {
		struct dt_value v = value_of(g, &g->recs[i], false);

		ids[i] = (int64_t)dt_value_signed(&v);
	}
	rows = ops.rows(ops.ctx, ids, (uint32_t)n, &nrows);
	free(ids);
	dt_out_init(&out, NULL, &h->trace->popts);
	if (g->f != NULL)
		dt_agg_printf(&out, g->f->format, rows, nrows);
	else
		dt_agg_print(&out, rows, nrows);
	err = put_text(h, fp, g, &out);
	dt_out_free(&out);
	return err != 0 ? -1 : n;
}

/* system() and freopen(): the text says what to do. `fp` is the output in hand for as long as it runs. */
static int do_command(struct dtrace_hdl *h, FILE *fp, const struct given *g,
    void (*f)(void *ctx, const char *))
{
	struct dt_trace *t = h->trace;
	FILE *before = t->fp;
	struct dt_out out;
	int n;

	if (t->consumer == NULL)
		return dt_handle_error(h, EINVAL);
	dt_out_init(&out, NULL, &t->popts);
	n = print_text(h, g, &out);
	t->fp = fp;
	if (n > 0)
		f(h, dt_out_text(&out));
	t->fp = before;
	dt_out_free(&out);
	return n;
}

/* print(): a value by its type. What is missing of it is printed as such. */
static int do_print(struct dtrace_hdl *h, FILE *fp, const char *type, const char *data, size_t len)
{
	const struct given none = { 0 };
	struct dt_value v = { .kind = DT_V_BYTES, .bytes = data, .len = len };
	dtrace_typeinfo_t info;
	struct dt_out out;
	uint64_t size;
	int err;

	if (type == NULL || data == NULL || len == 0)
		return dt_handle_error(h, EINVAL);
	if (dtrace_type_strcompile(h, type, &info) != 0)
		return h->err == EDT_NOMEM ? -1 : 0;
	v.type = info.dtt_type;
	size = dt_type_size(h->types, v.type);
	if (size == 0)
		return 0;
	dt_trace_text(h, h->trace);
	dt_out_init(&out, NULL, &h->trace->popts);
	dt_pretty_print(&out, &v);
	err = put_text(h, fp, &none, &out);
	dt_out_free(&out);
	return err != 0 ? -1 : size < len ? (int)size : (int)len;
}

int dtrace_print(dtrace_hdl_t *h, FILE *fp, const char *type, char *data, size_t len)
{
	DT_PUBLIC(h, -1, do_print(h, fp, type, data, len));
}

/* The four functions below have the same arguments. */
#define GIVEN { format, data, recs, n, buf, len }

int dtrace_fprintf(dtrace_hdl_t *h, FILE *fp, void *format, const dtrace_probedata_t *data,
    const dtrace_recdesc_t *recs, unsigned int n, const void *buf, size_t len)
{
	struct given g = GIVEN;

	DT_PUBLIC(h, -1, do_fprintf(h, fp, &g));
}

int dtrace_fprinta(dtrace_hdl_t *h, FILE *fp, void *format, const dtrace_probedata_t *data,
    const dtrace_recdesc_t *recs, unsigned int n, const void *buf, size_t len)
{
	struct given g = GIVEN;

	DT_PUBLIC(h, -1, do_fprinta(h, fp, &g));
}

int dtrace_system(dtrace_hdl_t *h, FILE *fp, void *format, const dtrace_probedata_t *data,
    const dtrace_recdesc_t *recs, unsigned int n, const void *buf, size_t len)
{
	struct given g = GIVEN;

	DT_PUBLIC(h, -1, do_command(h, fp, &g, dt_trace_effects(h).system));
}

int dtrace_freopen(dtrace_hdl_t *h, FILE *fp, void *format, const dtrace_probedata_t *data,
    const dtrace_recdesc_t *recs, unsigned int n, const void *buf, size_t len)
{
	struct given g = GIVEN;

	DT_PUBLIC(h, -1, do_command(h, fp, &g, dt_trace_effects(h).freopen));
}
