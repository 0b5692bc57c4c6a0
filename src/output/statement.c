/* SPDX-License-Identifier: BSD-2-Clause */
/* See statement.h. A statement is a run of records that share a statement number. */
#include "output/statement.h"

#include "base/map.h"
#include "value/record.h"

#include <stdlib.h>

void dt_statements_init(struct dt_statements *s, struct dt_arena *arena, struct dt_out *out, const struct dt_statement_ops *ops)
{
	memset(s, 0, sizeof(*s));
	s->out = out;
	s->ops = *ops;
	s->arena = arena;
	dt_map_init(&s->formats, arena);
}

int64_t dt_rec_int(const struct dt_rec *rec)
{
	struct dt_value v;

	dt_record_value(rec->act, rec->data, rec->len, &v);
	return v.kind == DT_V_INT ? (int64_t)(v.is_signed ? dt_value_signed(&v) : dt_value_unsigned(&v)) : 0;
}

/* tracemem(): the bytes, and before them, when that was said, how many to show. printm(): their number is their first word. */
bool dt_rec_memory(const struct dt_rec *recs, size_t n, const void **bytes, size_t *len)
{
	const struct dt_rec *last = &recs[n - 1];
	uint64_t told = 0;

	*bytes = last->data;
	*len = last->len;
	if (last->act->kind != DT_ACT_PRINTM) {
		int64_t want = n > 1 ? dt_rec_int(&recs[0]) : 0;

		if (want > 0 && (uint64_t)want < last->len)
			*len = (size_t)want;
		return true;
	}
	if (last->len < sizeof(told))
		return false;
	memcpy(&told, last->data, sizeof(told));
	*bytes = (const char *)last->data + sizeof(told);
	*len = (size_t)told;
	return told <= last->len - sizeof(told);
}

/* The compiler checked it; a program from a file may still hold anything, so a bad format prints as itself. */
struct dt_format *dt_statement_format(struct dt_statements *s, const char *text)
{
	struct dt_format *f = dt_map_get(&s->formats, text);
	struct dt_format_error err;

	if (f != NULL)
		return f;
	f = dt_format_parse(s->arena, text, strlen(text), &err);
	if (f != NULL)
		dt_map_put(&s->formats, text, f);
	return f;
}

/* ---- printf and its kin ---- */

/* The first action of a printf() may stand for the format alone. */
bool dt_statement_bare(const struct dt_rec *rec)
{
	return rec->act->difo != NULL && rec->act->difo->rtype.size == 0;
}

void dt_statement_text(struct dt_statements *s, struct dt_out *out, const struct dt_rec *recs, size_t n)
{
	const char *format = recs[0].act->fmt != NULL ? recs[0].act->fmt : "";
	struct dt_format *f = s->last_text == format ? s->last : dt_statement_format(s, format);
	size_t first = dt_statement_bare(recs);
	struct dt_value few[16], *v = n < 16 ? few : calloc(n + 1, sizeof(*v));

	s->last_text = format;
	s->last = f;
	for (size_t i = first; v != NULL && i < n; i++)
		dt_record_value(recs[i].act, recs[i].data, recs[i].len, &v[i - first]);
	if (f == NULL || v == NULL)
		dt_out_str(out, format);
	else
		dt_format_print(out, f, v, (uint32_t)(n - first));
	if (v != few)
		free(v);
}

static void do_printf(struct dt_statements *s, const struct dt_rec *recs, size_t n)
{
	dt_statement_text(s, s->out, recs, n);
}

/* system() and freopen(): the text is what to do. */
static void do_command(struct dt_statements *s, const struct dt_rec *recs, size_t n, void (*f)(void *, const char *))
{
	struct dt_out text;

	if (f == NULL)
		return;
	dt_out_init(&text, NULL, s->out->opts);
	dt_statement_text(s, &text, recs, n);
	f(s->ops.ctx, dt_out_text(&text));
	dt_out_free(&text);
}

static void do_system(struct dt_statements *s, const struct dt_rec *recs, size_t n)
{
	do_command(s, recs, n, s->ops.system);
}

static void do_freopen(struct dt_statements *s, const struct dt_rec *recs, size_t n)
{
	do_command(s, recs, n, s->ops.freopen);
}

/* ---- values ---- */

static void do_trace(struct dt_statements *s, const struct dt_rec *recs, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct dt_value v;

		dt_record_value(recs[i].act, recs[i].data, recs[i].len, &v);
		if (recs[i].len > 0)
			dt_value_trace(s->out, &v);
	}
}

/* A value; or a pointer and the object it points to. */
static void do_print(struct dt_statements *s, const struct dt_rec *recs, size_t n)
{
	struct dt_value v;

	dt_record_value(recs[0].act, recs[0].data, recs[0].len, &v);
	v.type = recs[0].act->type;
	if (v.type == NULL && recs[0].act->fmt != NULL && s->ops.type != NULL)
		v.type = s->ops.type(s->ops.ctx, recs[0].act->fmt);
	if (n > 1 && v.type != NULL && dt_type_base(v.type)->kind == DT_T_PTR) {
		struct dt_value object = { .kind = DT_V_BYTES, .bytes = recs[1].data, .len = recs[1].len,
			.type = dt_type_base(v.type)->ref };

		dt_pretty_pointer(s->out, v.i, &object);
		return;
	}
	dt_pretty_print(s->out, &v);
}

static void do_memory(struct dt_statements *s, const struct dt_rec *recs, size_t n)
{
	const void *bytes;
	size_t len;

	if (dt_rec_memory(recs, n, &bytes, &len))
		dt_hexdump_print(s->out, bytes, len);
}

/* ---- aggregations ---- */

static void do_printa(struct dt_statements *s, const struct dt_rec *recs, size_t n)
{
	int64_t *ids = calloc(n, sizeof(*ids));
	struct dt_format *f = recs[0].act->fmt != NULL ? dt_statement_format(s, recs[0].act->fmt) : NULL;
	struct dt_aggrow *rows;
	size_t nrows;

	for (size_t i = 0; ids != NULL && i < n; i++)
		ids[i] = dt_rec_int(&recs[i]);
	if (ids != NULL && s->ops.rows != NULL && (rows = s->ops.rows(s->ops.ctx, ids, (uint32_t)n, &nrows)) != NULL) {
		if (f != NULL) {
			dt_agg_printf(s->out, f, rows, nrows);
		} else {
			dt_out_str(s->out, "\n");
			dt_agg_print(s->out, rows, nrows);
		}
	}
	free(ids);
}

static void do_libact(struct dt_statements *s, const struct dt_rec *recs, size_t n)
{
	const struct dt_statement_ops *o = &s->ops;
	int64_t id = dt_rec_int(&recs[0]), arg = n > 1 ? dt_rec_int(&recs[1]) : 0;

	switch (recs[0].act->arg) {
	case DT_LIB_CLEAR: if (o->clear != NULL) o->clear(o->ctx, id); break;
	case DT_LIB_TRUNC: if (o->trunc != NULL) o->trunc(o->ctx, id, arg); break;
	case DT_LIB_NORMALIZE: if (o->normalize != NULL) o->normalize(o->ctx, id, arg); break;
	case DT_LIB_DENORMALIZE: if (o->normalize != NULL) o->normalize(o->ctx, id, 1); break;
	case DT_LIB_SETOPT: if (o->setopt != NULL) o->setopt(o->ctx, recs[0].data, n > 1 ? recs[1].data : NULL); break;
	case DT_LIB_FTRUNCATE: if (o->ftruncate != NULL) o->ftruncate(o->ctx); break;
	}
}

static void do_exit(struct dt_statements *s, const struct dt_rec *recs, size_t n)
{
	(void)n;
	if (s->ops.exit != NULL)
		s->ops.exit(s->ops.ctx, (int)dt_rec_int(&recs[0]));
}

/* ---- statements ---- */

typedef void do_f(struct dt_statements *, const struct dt_rec *, size_t n);

static do_f *doer(uint16_t kind)
{
	switch (kind) {
	case DT_ACT_EXIT: return do_exit;
	case DT_ACT_PRINTF: return do_printf;
	case DT_ACT_PRINTA: return do_printa;
	case DT_ACT_LIBACT: return do_libact;
	case DT_ACT_PRINT: return do_print;
	case DT_ACT_TRACEMEM: case DT_ACT_TRACEMEM_DYNSIZE: case DT_ACT_PRINTM: return do_memory;
	case DT_ACT_SYSTEM: return do_system;
	case DT_ACT_FREOPEN: return do_freopen;
	case DT_ACT_DIFEXPR: case DT_ACT_STACK: case DT_ACT_USTACK: case DT_ACT_JSTACK: case DT_ACT_SYM: case DT_ACT_MOD:
	case DT_ACT_USYM: case DT_ACT_UMOD: case DT_ACT_UADDR: return do_trace;
	default: return NULL;
	}
}

/* What was put is in the file's hands when this returns: the next who writes there may be somebody else. */
void dt_statement_do(struct dt_statements *s, const struct dt_rec *recs, size_t n)
{
	do_f *f = doer(recs[0].act->kind);

	if (f != NULL)
		f(s, recs, n);
	else if (s->ops.other != NULL)
		s->ops.other(s->ops.ctx, &recs[0]);
	dt_out_flush(s->out);
}

/* Actions that leave nothing for the consumer. */
static bool silent(const struct dt_act *a)
{
	return DT_ACT_IS_AGG(a->kind) || a->in_tuple || a->kind == DT_ACT_SPECULATE || a->kind == DT_ACT_COMMIT ||
	    a->kind == DT_ACT_DISCARD;
}

bool dt_statement_tells(const struct dt_act *a)
{
	return a->kind != DT_ACT_SKIPZ && !silent(a);
}

/* The first record from i on that is for the consumer. */
static size_t next_told(const struct dt_rec *recs, size_t n, size_t i)
{
	for (; i < n; i++) {
		const struct dt_act *a = recs[i].act;

		if (a->kind == DT_ACT_SKIPZ)
			i += recs[i].len > 0 && *(const uint8_t *)recs[i].data != 0 ? 0 : (size_t)a->arg;
		else if (!silent(a))
			break;
	}
	return i;
}

size_t dt_statement_next(const struct dt_rec *recs, size_t n, size_t *at)
{
	size_t first = next_told(recs, n, *at), i = first;

	while (i < n && recs[i].act->stmt == recs[first].act->stmt)
		i++;
	*at = first;
	return i - first;
}

bool dt_statements_any(const struct dt_rec *recs, size_t n)
{
	for (size_t i = 0; (i = next_told(recs, n, i)) < n; i++)
		if (recs[i].act->kind != DT_ACT_DIFEXPR || recs[i].len > 0)
			return true;
	return false;
}

void dt_statements_print(struct dt_statements *s, const struct dt_rec *recs, size_t n)
{
	for (size_t at = 0, len; (len = dt_statement_next(recs, n, &at)) > 0; at += len)
		dt_statement_do(s, recs + at, len);
}
