/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The lines of JSON output, one function for each type of line. A line is made whole in memory and then
 * written, so a reader never sees a part of one.
 */
#include "output/json.h"

#include "dif/action.h"
#include "output/unit.h"

#include <stdlib.h>

void dt_json_sink_init(struct dt_json_sink *s, struct dt_out *out, struct dt_statements *statements,
    const char *(*aggname)(void *ctx, int64_t id), void *ctx)
{
	*s = (struct dt_json_sink){ .out = out, .statements = statements, .aggname = aggname, .ctx = ctx };
	dt_out_init(&s->line, NULL, out->opts);
	dt_out_init(&s->after, NULL, out->opts);
}

void dt_json_sink_free(struct dt_json_sink *s)
{
	dt_out_free(&s->line);
	dt_out_free(&s->after);
}

struct dt_json dt_json_begin(struct dt_json_sink *s, const char *type)
{
	struct dt_json j = { .o = &s->line };

	dt_out_clear(&s->line);
	dt_out_clear(&s->after);
	dt_json_open(&j, '{');
	dt_json_key(&j, "type");
	dt_json_str(&j, type);
	return j;
}

/*
 * Writes the line, then the aggregations that printa() left for after it. A line that did not fit into
 * memory is not written in part: the output has failed.
 */
void dt_json_end(struct dt_json_sink *s, struct dt_json *j)
{
	dt_json_close(j, '}');
	dt_out_str(&s->line, "\n");
	if (s->line.failed || s->after.failed) {
		dt_out_fail(s->out, s->line.failed ? s->line.err : s->after.err);
		return;
	}
	dt_out_put(s->out, dt_out_text(&s->line), s->line.len);
	dt_out_put(s->out, dt_out_text(&s->after), s->after.len);
	dt_out_flush(s->out);
}

void dt_json_probe(struct dt_json *j, const struct dt_json_probe *p)
{
	dt_json_key(j, "epid");
	dt_json_uint(j, p->epid);
	dt_json_key(j, "id");
	dt_json_uint(j, p->id);
	dt_json_key(j, "provider");
	dt_json_str(j, p->prov);
	dt_json_key(j, "module");
	dt_json_str(j, p->mod);
	dt_json_key(j, "function");
	dt_json_str(j, p->func);
	dt_json_key(j, "name");
	dt_json_str(j, p->name);
}

void dt_json_put_event(struct dt_json_sink *s, const struct dt_json_event *e, const struct dt_rec *recs,
    size_t n)
{
	struct dt_json j = dt_json_begin(s, "probe");

	dt_json_key(&j, "time");
	dt_json_uint(&j, e->time);
	dt_json_key(&j, "cpu");
	dt_json_uint(&j, e->cpu);
	dt_json_probe(&j, &e->probe);
	if (e->flow != NULL) {
		dt_json_key(&j, "flow");
		dt_json_str(&j, e->flow);
		dt_json_key(&j, "indent");
		dt_json_int(&j, e->indent);
	}
	dt_json_key(&j, "output");
	dt_json_output(s, &j, &e->probe, recs, n);
	dt_json_end(s, &j);
}

void dt_json_put_error(struct dt_json_sink *s, const struct dt_json_error *e)
{
	struct dt_json j = dt_json_begin(s, "error");

	dt_json_probe(&j, &e->probe);
	dt_json_key(&j, "fault");
	dt_json_str(&j, e->fault);
	if (e->addr != NULL) {
		dt_json_key(&j, "address");
		dt_json_address(&j, *e->addr);
	}
	/* Actions are numbered from 1, as in the message. */
	if (!e->library) {
		dt_json_key(&j, "action");
		if (e->action < 0)
			dt_json_str(&j, "predicate");
		else
			dt_json_int(&j, (int64_t)e->action + 1);
	}
	if (e->offset >= 0) {
		dt_json_key(&j, "offset");
		dt_json_int(&j, e->offset);
	}
	dt_json_key(&j, "message");
	dt_json_text(&j, e->message, strcspn(e->message, "\n"));
	dt_json_end(s, &j);
}

/* A drop that belongs to no CPU has none. */
void dt_json_put_drop(struct dt_json_sink *s, const struct dt_json_drop *d)
{
	struct dt_json j = dt_json_begin(s, "drop");

	dt_json_key(&j, "kind");
	dt_json_str(&j, d->kind);
	if (d->cpu >= 0) {
		dt_json_key(&j, "cpu");
		dt_json_int(&j, d->cpu);
	}
	dt_json_key(&j, "count");
	dt_json_uint(&j, d->count);
	dt_json_key(&j, "total");
	dt_json_uint(&j, d->total);
	dt_json_key(&j, "message");
	dt_json_text(&j, d->message, strcspn(d->message, "\n"));
	dt_json_end(s, &j);
}

void dt_json_put_exit(struct dt_json_sink *s, int status, bool called)
{
	struct dt_json j = dt_json_begin(s, "exit");

	dt_json_key(&j, "status");
	dt_json_int(&j, status);
	dt_json_key(&j, "called");
	dt_json_bool(&j, called);
	dt_json_end(s, &j);
}

/* ---- aggregations ---- */

/* An aggregation without a name has the empty string. */
static void json_agg_names(struct dt_json_sink *s, struct dt_json *j, const int64_t *ids, uint32_t nids)
{
	dt_json_key(j, "aggregations");
	dt_json_open(j, '[');
	for (uint32_t i = 0; i < nids; i++) {
		const char *name = s->aggname != NULL ? s->aggname(s->ctx, ids[i]) : NULL;

		dt_json_str(j, name != NULL ? name : "");
	}
	dt_json_close(j, ']');
}

/* All elements of an aggregation have the same functions, so the first one tells. */
static void json_agg_functions(struct dt_json *j, const struct dt_aggrow *row)
{
	dt_json_key(j, "functions");
	dt_json_open(j, '[');
	for (uint32_t i = 0; i < row->nvals; i++)
		dt_json_str(j, dt_actrule_of(row->vals[i].aggkind)->name);
	dt_json_close(j, ']');
}

/* With -x units: null for an aggregation that has none. */
static void json_agg_units(struct dt_json *j, const struct dt_aggrow *row)
{
	bool any = false;

	for (uint32_t i = 0; i < row->nvals; i++)
		any |= row->vals[i].unit != DT_UNIT_NONE;
	if (!any)
		return;
	dt_json_key(j, "units");
	dt_json_open(j, '[');
	for (uint32_t i = 0; i < row->nvals; i++)
		if (row->vals[i].unit != DT_UNIT_NONE)
			dt_json_str(j, dt_unit_name(row->vals[i].unit));
		else
			dt_json_null(j);
	dt_json_close(j, ']');
}

static void json_agg_values(struct dt_json *j, const char *key, const struct dt_value *v, uint32_t n)
{
	dt_json_key(j, key);
	dt_json_open(j, '[');
	for (uint32_t i = 0; i < n; i++)
		dt_json_value(j, &v[i]);
	dt_json_close(j, ']');
}

/* What printa() with a format would have printed for the element. */
static void json_agg_formatted(struct dt_json *j, const struct dt_format *f, const struct dt_aggrow *row)
{
	struct dt_out text;

	dt_out_init(&text, NULL, j->o->opts);
	dt_agg_printf(&text, f, row, 1);
	dt_json_key(j, "text");
	dt_json_text(j, dt_out_text(&text), text.len);
	dt_out_free(&text);
}

void dt_json_agg(struct dt_json_sink *s, struct dt_json *j, const struct dt_format *f, const int64_t *ids,
    uint32_t nids, const struct dt_aggrow *rows, size_t n)
{
	json_agg_names(s, j, ids, nids);
	if (n > 0) {
		json_agg_functions(j, &rows[0]);
		json_agg_units(j, &rows[0]);
	}
	dt_json_key(j, "elements");
	dt_json_open(j, '[');
	for (size_t i = 0; i < n && !j->o->failed; i++) {
		dt_json_open(j, '{');
		json_agg_values(j, "keys", rows[i].keys, rows[i].nkeys);
		json_agg_values(j, "values", rows[i].vals, rows[i].nvals);
		if (f != NULL)
			json_agg_formatted(j, f, &rows[i]);
		dt_json_close(j, '}');
	}
	dt_json_close(j, ']');
}

void dt_json_put_agg(struct dt_json_sink *s, const int64_t *ids, uint32_t nids, const struct dt_aggrow *rows,
    size_t n)
{
	struct dt_json j = dt_json_begin(s, "aggregation");

	dt_json_agg(s, &j, NULL, ids, nids, rows, n);
	dt_json_end(s, &j);
}
