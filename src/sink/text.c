/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Text, as people have always read it, and the records themselves for the caller of dtrace_work(): it is asked about each
 * record, and what it leaves to us is printed. Columns, errors and drops are the caller's to show.
 */
#include "sink/sink.h"

/* What the caller says of one record: DTRACE_CONSUME_THIS, it is for us. *err is set when it wants to end. */
static int ask(const struct dt_sink *s, const struct dt_sink_event *e, const struct dt_rec *rec, int *err)
{
	const struct dt_sink_caller *c = s->env.caller;
	int rv;

	if (c->rec == NULL)
		return DTRACE_CONSUME_NEXT;
	e->data->dtpda_data = (char *)rec->data;
	rv = c->rec(e->data, e->desc(e, rec), c->arg);
	if (rv != DTRACE_CONSUME_THIS && rv != DTRACE_CONSUME_NEXT)
		*err = rv == DTRACE_CONSUME_ABORT ? EDT_DIRABORT : EDT_BADRVAL;
	return rv;
}

/* The caller may take each record of a statement; those that change the trace are ours in any case. */
static int show_statement(struct dt_sink *s, const struct dt_sink_event *e, const struct dt_rec *recs, size_t n)
{
	bool ours = dt_act_is(recs[0].act, DT_AF_OURS);
	int err = 0;

	for (size_t i = 0; !ours && i < n && err == 0; i++) {
		ours = ask(s, e, &recs[i], &err) == DTRACE_CONSUME_THIS;
		if (ours && i > 0)
			return 0;		/* of the rest of a statement there is nothing to print */
	}
	if (err == 0 && (ours || dt_act_is(recs[0].act, DT_AF_ALSO)))
		dt_statement_do(s->env.statements, recs, n);
	return err;
}

static int show_event(struct dt_sink *s, const struct dt_sink_event *e)
{
	int err = 0;

	for (size_t at = 0, len; err == 0 && (len = dt_statement_next(e->recs, e->n, &at)) > 0; at += len)
		err = show_statement(s, e, e->recs + at, len);
	return err;
}

static int show_aggregation(struct dt_sink *s, const struct dt_sink_aggs *a)
{
	dt_agg_print(s->env.out, a->rows, a->n);
	return 0;
}

const struct dt_sink_type dt_sink_text = {
	.oformat = DTRACE_OFORMAT_TEXT,
	.size = sizeof(struct dt_sink),
	.event = show_event,
	.aggregation = show_aggregation,
};
