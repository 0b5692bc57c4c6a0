/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The statements of a firing as JSON objects: what was printed, and what was done. Actions that do
 * something (clear, system, setopt …) are reported here, and are done by the owner of the statements.
 */
#include "output/json.h"

#include "value/value_record.h"

#include <stdlib.h>

static struct dt_value record_value(const struct dt_rec *rec)
{
	struct dt_value v;

	dt_record_value(rec->act, rec->data, rec->len, &v);
	return v;
}

void dt_json_action_open(struct dt_json_firing *f, const char *name)
{
	dt_json_open(f->j, '{');
	dt_json_key(f->j, "action");
	dt_json_str(f->j, name);
}

void dt_json_action_close(struct dt_json_firing *f)
{
	dt_json_close(f->j, '}');
}

/*
 * An argument that recorded nothing is left out. A string or number of no bytes is still a value; bytes
 * of no bytes are not.
 */
void dt_json_action_args(struct dt_json_firing *f, const struct dt_rec *recs, size_t n)
{
	dt_json_key(f->j, "args");
	dt_json_open(f->j, '[');
	for (size_t i = 0; i < n; i++) {
		struct dt_value v = record_value(&recs[i]);

		if (recs[i].len > 0 || v.kind != DT_V_BYTES)
			dt_json_value(f->j, &v);
	}
	dt_json_close(f->j, ']');
}

void dt_json_action_do(struct dt_json_firing *f, const struct dt_rec *recs, size_t n)
{
	dt_statement_do(f->sink->statements, recs, n);
}

void dt_json_action_values(struct dt_json_firing *f, const char *name, const struct dt_rec *recs, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct dt_value v = record_value(&recs[i]);

		if (recs[i].len == 0)
			continue;
		dt_json_action_open(f, name);
		dt_json_key(f->j, "value");
		dt_json_value(f->j, &v);
		dt_json_action_close(f);
	}
}

/* The object is complete before the action is done: what it does may itself write lines. */
void dt_json_action_plain(struct dt_json_firing *f, const char *name, const struct dt_rec *recs, size_t n)
{
	dt_json_action_open(f, name);
	dt_json_action_args(f, recs, n);
	dt_json_action_close(f);
	dt_json_action_do(f, recs, n);
}

/* The row of each action makes its own object; this file has no list of actions. */
void dt_json_output(struct dt_json_sink *sink, struct dt_json *j, const struct dt_json_probe *probe,
    const struct dt_rec *recs, size_t n)
{
	struct dt_json_firing f = { sink, j, probe };

	dt_json_open(j, '[');
	for (size_t at = 0, len; (len = dt_statement_next(recs, n, &at)) > 0; at += len)
		dt_action_of(recs[at].act)->json(&f, dt_act_rule(recs[at].act)->name, recs + at, len);
	dt_json_close(j, ']');
}
