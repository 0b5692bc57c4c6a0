/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Text, as people have always read it, and the records themselves for the caller of dtrace_work(): it is
 * asked about each record, and what it leaves to us is printed. Text goes to a file, or back to the caller in
 * pieces: one for each statement, or one for each key and value of an aggregation. The caller shows columns,
 * errors and drops itself.
 *
 * A piece is what `out` holds: the caller that takes it empties it (struct dt_sink_caller), so nothing may be
 * left in `out` when a statement begins.
 */
#include "sink/sink.h"

/*
 * What the caller says of one record. DTRACE_CONSUME_THIS: we print it; _NEXT: it has done so, or wants none.
 * Anything else ends the trace, and *err says why.
 */
static int ask_caller(const struct dt_sink *s, const struct dt_sink_event *e, const struct dt_rec *rec,
    int *err)
{
	const struct dt_sink_caller *c = s->env.caller;
	const dtrace_recdesc_t *desc;
	int rv;

	if (c->rec == NULL)
		return DTRACE_CONSUME_NEXT;
	desc = e->desc(e, rec);
	e->data->dtpda_data = e->base != NULL ? e->base + desc->dtrd_offset : (char *)rec->data;
	rv = c->rec(e->data, desc, c->arg);
	if (rv != DTRACE_CONSUME_THIS && rv != DTRACE_CONSUME_NEXT)
		*err = rv == DTRACE_CONSUME_ABORT ? EDT_DIRABORT : EDT_BADRVAL;
	return rv;
}

/* ---- text in pieces ---- */

/* 0, or what ends the trace. Where text goes to a file, or where there is none, nothing is done. */
static int hand_over(struct dt_sink *s, const struct dt_sink_piece *p)
{
	const struct dt_sink_caller *c = s->env.caller;

	return c->take != NULL && s->env.out->len > 0 ? c->take(c->hdl, p) : 0;
}

/* An element as the historic pieces: each key, each value, then the end of its line. */
static int hand_over_row(struct dt_sink *s, const dtrace_probedata_t *data, const struct dt_aggrow *row)
{
	struct dt_sink_piece p = { .data = data, .row = row, .flags = DTRACE_BUFDATA_AGGKEY };
	int err = 0;

	for (p.at = 0; p.at < row->nkeys && err == 0; p.at++) {
		dt_value_key(s->env.out, &row->keys[p.at]);
		err = hand_over(s, &p);
	}
	for (p.at = 0, p.flags = DTRACE_BUFDATA_AGGVAL; p.at < row->nvals && err == 0; p.at++) {
		dt_value_trace(s->env.out, &row->vals[p.at]);
		err = hand_over(s, &p);
	}
	dt_out_str(s->env.out, "\n");
	p.flags = DTRACE_BUFDATA_AGGLAST;
	return err == 0 ? hand_over(s, &p) : err;
}

/*
 * printa() in pieces. With a format each element is one piece; without one an empty line comes first, then
 * the keys and values of each element one by one.
 */
static int hand_over_printa(struct dt_sink *s, const struct dt_sink_event *e, const struct dt_rec *recs,
    size_t n)
{
	struct dt_statements *st = s->env.statements;
	struct dt_format *f = recs[0].act->fmt != NULL ? dt_statement_format(st, recs[0].act->fmt) : NULL;
	struct dt_sink_piece p = { .data = e->data, .rec = e->desc(e, &recs[0]) };
	struct dt_aggrow *rows;
	size_t nrows;
	int err = 0;

	rows = st->ops.rows(st->ops.ctx, dt_statement_ids(st, recs, n), (uint32_t)n, &nrows);
	if (f == NULL) {
		dt_out_str(s->env.out, "\n");
		err = hand_over(s, &p);
	}
	p.flags = DTRACE_BUFDATA_AGGFORMAT | DTRACE_BUFDATA_AGGLAST;
	for (size_t i = 0; i < nrows && err == 0; i++) {
		p.row = &rows[i];
		if (f != NULL) {
			dt_agg_printf(s->env.out, f, &rows[i], 1);
			err = hand_over(s, &p);
		} else {
			err = hand_over_row(s, e->data, &rows[i]);
		}
	}
	return err;
}

/* ---- firings ---- */

/* Prints one statement, or does what it is for; text then goes to the caller, where it wants pieces. */
static int print_statement(struct dt_sink *s, const struct dt_sink_event *e, const struct dt_rec *recs,
    size_t n)
{
	if (s->env.caller->take == NULL) {
		dt_statement_do(s->env.statements, recs, n);
		return 0;
	}
	if (recs[0].act->kind == DT_ACT_PRINTA)
		return hand_over_printa(s, e, recs, n);
	dt_statement_do(s->env.statements, recs, n);
	return hand_over(s, &(struct dt_sink_piece){ .data = e->data, .rec = e->desc(e, &recs[0]) });
}

/*
 * The caller may take each record of a statement. Statements that change the trace (DT_AF_OURS) are done
 * without asking, and some (DT_AF_ALSO) are done whatever it says.
 */
static int show_statement(struct dt_sink *s, const struct dt_sink_event *e, const struct dt_rec *recs,
    size_t n)
{
	bool ours = s->env.caller->all || dt_act_is(recs[0].act, DT_AF_OURS);
	int err = 0;

	for (size_t i = 0; !ours && i < n && err == 0; i++) {
		ours = ask_caller(s, e, &recs[i], &err) == DTRACE_CONSUME_THIS;
		if (ours && i > 0)
			return 0;		/* of the rest of a statement there is nothing to print */
	}
	if (err == 0 && (ours || dt_act_is(recs[0].act, DT_AF_ALSO)))
		err = print_statement(s, e, recs, n);
	return err;
}

static int show_event(struct dt_sink *s, const struct dt_sink_event *e)
{
	int err = 0;

	for (size_t at = 0, len; err == 0 && (len = dt_statement_next(e->recs, e->n, &at)) > 0; at += len)
		err = show_statement(s, e, e->recs + at, len);
	return err;
}

/* Aggregations that are shown at the end, or by dtrace_aggregate_print(): of no firing. */
static int show_aggregation(struct dt_sink *s, const struct dt_sink_aggs *a)
{
	int err = 0;

	if (s->env.caller->take == NULL)
		dt_agg_print(s->env.out, a->rows, a->n);
	for (size_t i = 0; i < a->n && err == 0 && s->env.caller->take != NULL; i++)
		err = hand_over_row(s, NULL, &a->rows[i]);
	return err;
}

/* It has no buffers: `out` is the only place that it writes to. */
static bool clone_text(struct dt_sink *s)
{
	return s->env.caller->take == NULL;
}

const struct dt_sink_type dt_sink_text = {
	.oformat = DTRACE_OFORMAT_TEXT,
	.size = sizeof(struct dt_sink),
	.clone = clone_text,
	.event = show_event,
	.aggregation = show_aggregation,
};
