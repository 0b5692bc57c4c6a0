/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * See statement.h. A statement is a run of records with the same statement number; the action of its
 * first record decides how it is printed.
 */
#include "output/statement.h"

#include "base/map.h"
#include "value/value_record.h"

#include <stdlib.h>

void dt_statements_init(struct dt_statements *s, struct dt_arena *arena, struct dt_out *out,
    const struct dt_statement_ops *ops)
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

/*
 * tracemem() records the bytes, and before them, if the program gave it, how many of them to show.
 * printm() records the number of bytes as their first word; the kernel wrote it, but it is checked all
 * the same.
 */
bool dt_rec_memory(const struct dt_rec *recs, size_t n, const void **bytes, size_t *len)
{
	const struct dt_rec *last = &recs[n - 1];
	uint64_t count = 0;

	*bytes = last->data;
	*len = last->len;
	if (last->act->kind != DT_ACT_PRINTM) {
		int64_t want = n > 1 ? dt_rec_int(&recs[0]) : 0;

		if (want > 0 && (uint64_t)want < last->len)
			*len = (size_t)want;
		return true;
	}
	if (last->len < sizeof(count))
		return false;
	memcpy(&count, last->data, sizeof(count));
	*bytes = (const char *)last->data + sizeof(count);
	*len = (size_t)count;
	return count <= last->len - sizeof(count);
}

/*
 * Formats are parsed once and kept by their text. The compiler checked them; a program from a file may
 * still hold anything, so a bad format (NULL) prints as itself.
 */
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

/* ---- printf and similar actions ---- */

/* The first action of a printf() may hold the format alone: its expression has no value. */
bool dt_statement_bare(const struct dt_rec *rec)
{
	return rec->act->difo != NULL && rec->act->difo->rtype.size == 0;
}

/* Out of memory for the values, the format is printed as it is. */
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

/* They are in the arena, so a long jump out of whatever is done with them loses no memory. */
const int64_t *dt_statement_ids(struct dt_statements *s, const struct dt_rec *recs, size_t n)
{
	s->ids.n = 0;
	for (size_t i = 0; i < n; i++)
		dt_vec_push(s->arena, &s->ids, dt_rec_int(&recs[i]));
	return s->ids.v;
}

void dt_statement_other(struct dt_statements *s, const struct dt_rec *recs, size_t n)
{
	(void)n;
	if (s->ops.other != NULL)
		s->ops.other(s->ops.ctx, &recs[0]);
}

void dt_statement_values(struct dt_statements *s, const struct dt_rec *recs, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct dt_value v;

		dt_record_value(recs[i].act, recs[i].data, recs[i].len, &v);
		if (recs[i].len > 0)
			dt_value_trace(s->out, &v);
	}
}

/* ---- statements ---- */

/* The text is in the file's buffer when this returns: the next writer to the file may be other code. */
void dt_statement_do(struct dt_statements *s, const struct dt_rec *recs, size_t n)
{
	dt_action_of(recs[0].act)->text(s, recs, n);
	dt_out_flush(s->out);
}

/* Actions that leave nothing for the consumer. An assignment is an expression without a value. */
static bool is_silent(const struct dt_act *a)
{
	return (a->kind == DT_ACT_DIFEXPR && a->difo != NULL && a->difo->rtype.size == 0) || a->in_tuple ||
	    DT_ACT_IS_AGG(a->kind) || dt_act_is(a, DT_AF_SILENT);
}

bool dt_statement_visible(const struct dt_act *a) { return !is_silent(a); }

/* A format that cannot be parsed would be parsed again for each firing. */
static bool format_alone(struct dt_statements *s, const char *text)
{
	const struct dt_format *f = dt_statement_format(s, text);

	for (uint32_t i = 0; f != NULL && i < f->nconv; i++)
		if (f->conv[i].row != NULL && dt_conv_asks(f->conv[i].row))
			return false;
	return f != NULL;
}

bool dt_statements_alone(struct dt_statements *s, const struct dt_ecb *e)
{
	for (uint32_t i = 0; i < e->nacts; i++) {
		const struct dt_act *a = &e->acts[i];

		if (a->kind == DT_ACT_SKIPZ || is_silent(a))
			continue;
		if (!dt_act_is(a, DT_AF_ALONE) || (a->fmt != NULL && !format_alone(s, a->fmt)))
			return false;
		/* the first of a printf() without a format prints "" */
		if (a->kind == DT_ACT_PRINTF && a->fmt == NULL && !format_alone(s, ""))
			return false;
	}
	return true;
}

/*
 * The first record from i on that is for the consumer. A SKIPZ whose condition was zero, or that did
 * not run, skips the actions of its branch.
 */
static size_t next_visible(const struct dt_rec *recs, size_t n, size_t i)
{
	for (; i < n; i++) {
		const struct dt_act *a = recs[i].act;

		if (a->kind == DT_ACT_SKIPZ)
			i += recs[i].len > 0 && *(const uint8_t *)recs[i].data != 0 ? 0 : (size_t)a->arg;
		else if (!is_silent(a))
			break;
	}
	return i;
}

size_t dt_statement_next(const struct dt_rec *recs, size_t n, size_t *at)
{
	size_t first = next_visible(recs, n, *at), i = first;

	while (i < n && recs[i].act->stmt == recs[first].act->stmt)
		i++;
	*at = first;
	return i - first;
}

bool dt_statements_any(const struct dt_rec *recs, size_t n)
{
	for (size_t i = 0; (i = next_visible(recs, n, i)) < n; i++)
		if (recs[i].len > 0 || !dt_act_is(recs[i].act, DT_AF_IFVALUE))
			return true;
	return false;
}

void dt_statements_print(struct dt_statements *s, const struct dt_rec *recs, size_t n)
{
	for (size_t at = 0, len; (len = dt_statement_next(recs, n, &at)) > 0; at += len)
		dt_statement_do(s, recs + at, len);
}
