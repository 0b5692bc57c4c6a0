/* SPDX-License-Identifier: BSD-2-Clause */
/* See messages.h. Statements are done in their order: what printa() shows is what it showed as text. */
#include "sink/messages.h"

#include "dif/action.h"
#include "output/buckets.h"
#include "output/hist.h"
#include "output/json.h"
#include "value/value_record.h"

static void message_values(struct dt_sink *s, const struct dt_message_ops *t, const struct dt_sink_event *e,
    const struct dt_rec *recs, size_t n)
{
	for (size_t i = 0; i < n && t->value != NULL; i++) {
		struct dt_value v;

		if (recs[i].len == 0)
			continue;
		dt_record_value(recs[i].act, recs[i].data, recs[i].len, &v);
		t->value(s, e, recs[i].act, &v);
	}
}

void dt_message_object(struct dt_sink *s, const struct dt_rec *recs, size_t n, struct dt_value *v)
{
	const struct dt_statement_ops *o = &s->env.statements->ops;

	dt_record_value(recs[0].act, recs[0].data, recs[0].len, v);
	v->type = recs[0].act->type;
	if (v->type == NULL && recs[0].act->fmt != NULL && o->type != NULL)
		v->type = o->type(o->ctx, recs[0].act->fmt);
	if (n > 1 && v->type != NULL && dt_type_base(v->type)->kind == DT_T_PTR)
		*v = (struct dt_value){ .kind = DT_V_BYTES, .bytes = recs[1].data, .len = recs[1].len,
			.type = dt_type_base(v->type)->ref };
}

/* print() and tracemem(): several records that are one value. A record of no bytes was not made. */
static void message_whole(struct dt_sink *s, const struct dt_message_ops *t, const struct dt_sink_event *e,
    const struct dt_rec *recs, size_t n)
{
	struct dt_value v = { .kind = DT_V_BYTES };
	const void *bytes;
	size_t len;

	if (t->value == NULL || recs->len == 0)
		return;
	if (dt_action_of(recs->act)->shape == DT_SHAPE_OBJECT)
		dt_message_object(s, recs, n, &v);
	else if (dt_rec_memory(recs, n, &bytes, &len))
		v = (struct dt_value){ .kind = DT_V_BYTES, .bytes = bytes, .len = len };
	t->value(s, e, recs->act, &v);
}

static void message_printa(struct dt_sink *s, const struct dt_message_ops *t, const struct dt_sink_event *e,
    const struct dt_rec *recs, size_t n)
{
	const struct dt_statement_ops *ops = &s->env.statements->ops;
	const int64_t *ids = dt_statement_ids(s->env.statements, recs, n);
	struct dt_sink_aggs a = { ids, (uint32_t)n, NULL, 0 };

	if (ops->rows != NULL)
		a.rows = ops->rows(ops->ctx, ids, (uint32_t)n, &a.n);
	if (a.rows != NULL && a.n > 0 && t->aggs != NULL)
		t->aggs(s, e, &a);
}

struct dt_sink_aggs dt_message_elements(struct dt_sink *s, const int64_t *id)
{
	const struct dt_statement_ops *ops = &s->env.statements->ops;
	struct dt_sink_aggs a = { id, 1, NULL, 0 };

	if (ops->elements != NULL)
		a.rows = ops->elements(ops->ctx, *id, &a.n);
	return a;
}

/* A recording does not contain what trunc() has left, so only the removal of all elements is known there. */
static void message_truncated(struct dt_sink *s, const struct dt_message_ops *t, const struct dt_rec *recs,
    size_t n)
{
	bool all = n < 2 || dt_rec_int(&recs[1]) == 0;
	int64_t id = dt_rec_int(recs);
	struct dt_sink_aggs a;

	if (s->env.statements->ops.elements == NULL && !all)
		return;
	a = dt_message_elements(s, &id);
	t->truncated(s, &a);
}

static void message_effect(struct dt_sink *s, const struct dt_message_ops *t, const struct dt_sink_event *e,
    const struct dt_rec *recs, size_t n)
{
	if (t->effect != NULL)
		t->effect(s, e, recs);
	dt_statement_do(s->env.statements, recs, n);
	if (t->truncated != NULL && dt_act_kind(recs->act) == DT_LIB_KIND(DT_LIB_TRUNC))
		message_truncated(s, t, recs, n);
}

void dt_message_event(struct dt_sink *s, const struct dt_message_ops *t, const struct dt_sink_event *e)
{
	for (size_t at = 0, len; (len = dt_statement_next(e->recs, e->n, &at)) > 0; at += len) {
		const struct dt_rec *recs = e->recs + at;

		switch (dt_action_of(recs->act)->shape) {
		case DT_SHAPE_EFFECT: message_effect(s, t, e, recs, len); break;
		case DT_SHAPE_AGGREGATION: message_printa(s, t, e, recs, len); break;
		case DT_SHAPE_VALUES: message_values(s, t, e, recs, len); break;
		case DT_SHAPE_OBJECT:
		case DT_SHAPE_MEMORY: message_whole(s, t, e, recs, len); break;
		default: break;
		}
	}
}

void dt_message_leave(struct dt_sink *s, int64_t id, const struct dt_value *v, const char *why)
{
	char text[256];

	if (v == NULL)
		id = -1;
	for (size_t i = 0; i < s->left.n; i++)
		if (s->left.v[i] == id)
			return;
	dt_vec_push(s->env.arena, &s->left, id);
	if (v != NULL)
		snprintf(text, sizeof(text), "@%s is left out: %s", dt_message_aggname(s, id, v), why);
	else
		snprintf(text, sizeof(text), "records are left out: %s", why);
	s->env.note(s->env.ctx, text);
}

const char *dt_message_aggname(const struct dt_sink *s, int64_t id, const struct dt_value *v)
{
	const char *name = s->env.aggname != NULL ? s->env.aggname(s->env.ctx, id) : NULL;

	return name != NULL && strcmp(name, "_") != 0 ? name : dt_actrule_of(v->aggkind)->name;
}

int64_t dt_message_number(const struct dt_value *v)
{
	const struct dt_aggfunc *f = dt_aggfunc_of(v->aggkind);
	struct dt_aggpart part[DT_AGGPARTS];
	struct dt_value number;
	struct dt_buckets b;
	uint64_t sum = 0;

	if (dt_agg_scalar(v, &number))
		return (int64_t)dt_value_signed(&number);
	for (uint32_t i = 0, n = f->parts != NULL ? f->parts(v, part) : 0; i < n; i++)
		if (strcmp(part[i].name, "count") == 0)
			return part[i].value;
	if (dt_buckets_open(&b, v))
		for (uint32_t i = 0; i < b.n; i++)
			sum += (uint64_t)dt_agg_normalize(b.count[i], v->normal);
	return (int64_t)sum;
}

void dt_message_key(struct dt_out *o, const struct dt_value *v)
{
	size_t from = o->len;

	if (v->kind != DT_V_STACK && v->kind != DT_V_USTACK) {
		dt_value_bare(o, v);
		return;
	}
	dt_stack_print(o, v, 0);
	if (o->len > from + 1)
		memmove(o->buf + from, o->buf + from + 1, o->len - from - 2);
	o->len = o->len > from + 1 ? o->len - 2 : from;
	for (size_t i = from; i < o->len; i++)
		if (o->buf[i] == '\n')
			o->buf[i] = ';';
}

void dt_message_clean(struct dt_out *o, const char *p, size_t n, char sep, char sep2)
{
	size_t from = o->len;

	dt_json_valid(o, p, n);
	for (size_t i = from; i < o->len; i++) {
		char c = o->buf[i];

		if ((unsigned char)c < ' ' || c == 0x7f)
			o->buf[i] = '?';
		else if (c == sep || (sep2 != 0 && c == sep2))
			o->buf[i] = ':';
	}
}

bool dt_message_source(struct dt_out *to, struct dt_loc loc)
{
	const char *from = loc.src != NULL ? loc.src->text + loc.off : NULL;
	bool space = true;

	dt_out_clear(to);
	if (from == NULL || loc.len == 0 || strchr("\"'-0123456789", from[0]) != NULL)
		return false;
	for (uint32_t i = 0; i < loc.len; i++) {
		bool another = strchr(" \t\r\n", from[i]) != NULL;

		if (!another || !space)
			dt_out_put(to, another ? " " : &from[i], 1);
		space = another;
	}
	return true;
}
