/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The firings of clauses, from the consumer to the caller of dtrace_work() and to the sink that writes them.
 * One firing is shown at a time: `firing` and `event` of h->doing point into the frames below meanwhile, and
 * are NULL between firings, so that a nested call of the library is noticed.
 */
#include "trace/trace.h"

#include "dif/dif.h"

#include <stdlib.h>

/*
 * -F: the kind and indentation of this firing, kept for each CPU. The record that follows is looked for only
 * where it decides (return probes).
 */
static void step_flow(struct dt_trace *t, const struct dt_event *e, dtrace_probedata_t *d)
{
	static const dtrace_flowkind_t kinds[] = { [DT_FLOW_NONE] = DTRACEFLOW_NONE,
		[DT_FLOW_ENTRY] = DTRACEFLOW_ENTRY,
		[DT_FLOW_RETURN] = DTRACEFLOW_RETURN };
	const dtrace_probedesc_t *p = d->dtpda_pdesc;
	struct dt_flowrec r = { .cpu = e->cpu, .probe = e->probe_id, .epid = e->epid,
		.provider = p->dtpd_provider, .name = p->dtpd_name };
	struct dt_flowline line;

	if (dt_flow_looks_ahead(r.name) && (r.next_epid = dt_consumer_next(t->consumer, e->cpu)) != 0)
		r.next_probe = dt_trace_layout(t, r.next_epid)->probe_id;
	if (!dt_flow_step(&t->flows, &r, &line))
		t->failed = EDT_NOMEM;
	d->dtpda_flow = kinds[line.kind];
	d->dtpda_indent = line.indent;
	d->dtpda_prefix = line.prefix;
}

/* What the caller says of the whole firing. 0: show it; 1: pass over it; -1: the handle's error is set. */
static int ask_caller(struct dtrace_hdl *h, const dtrace_probedata_t *d)
{
	struct dt_trace *t = h->trace;
	int rv = t->pf != NULL ? t->pf(d, t->caller.arg) : DTRACE_CONSUME_THIS;

	if (rv == DTRACE_CONSUME_THIS || rv == DTRACE_CONSUME_NEXT)
		return rv == DTRACE_CONSUME_NEXT;
	return dt_handle_error(h, rv == DTRACE_CONSUME_ABORT ? EDT_DIRABORT : EDT_BADRVAL);
}

/* The sink's part of a firing, with the caller's text around it. 0, or -1 with the error set. */
static int write_event(struct dt_trace *t, const struct dt_sink_event *event)
{
	struct dt_trace_line line;		/* too large to be cleared each time */
	int rv;

	line.end = NULL;
	if (t->caller.all)
		dt_out_spill(&t->out);
	if (dt_trace_has_lines(t)) {
		if (dt_trace_line(t, event->data, &line) != 0)
			return -1;
		dt_out_put(&t->out, line.text, line.len);
		dt_out_flush(&t->out);
	}
	rv = t->sink->type->event(t->sink, event);
	if (rv != 0)
		return dt_handle_error(t->h, rv);
	if (line.end != NULL) {
		dt_out_str(&t->out, line.end);
		dt_out_flush(&t->out);
	}
	return 0;
}

/*
 * Tells the caller, then the sink, then the caller again that the records are through, as history does. A
 * statement that failed leaves its error in t->failed, which ends the call.
 */
static int show_event(struct dtrace_hdl *h, const struct dt_event *e, const struct dt_rec *recs, uint32_t n)
{
	struct dt_trace *t = h->trace;
	dtrace_probedata_t d = { .dtpda_handle = h, .dtpda_edesc = dt_trace_edesc(t, e->epid),
		.dtpda_pdesc = &t->desc,
		.dtpda_cpu = (int)e->cpu, .dtpda_timestamp = e->time,
		.dtpda_flow = DTRACEFLOW_NONE,
		.dtpda_prefix = "| " };
	struct dt_sink_event event = { .data = &d, .ecb = e->ecb,
		.flow = dt_options_on(&h->options, DT_OPT_flowindent), .recs = recs, .n = n,
		.desc = dt_trace_recdesc };
	int rv;

	if (d.dtpda_edesc == NULL)
		return dt_handle_error(h, EDT_NOMEM);
	event.base = dt_trace_firing_data(t, e->epid, e->data);
	d.dtpda_data = event.base;
	if (t->desc.dtpd_id != e->probe_id)
		dt_trace_describe(t, e->probe_id, &t->desc);
	t->h->doing.firing = &d;
	t->h->doing.event = &event;
	if (event.flow)
		step_flow(t, e, &d);
	rv = ask_caller(h, &d);
	if (rv != 0)
		return rv < 0 ? rv : 0;
	if (write_event(t, &event) != 0)
		return -1;
	d.dtpda_data = event.base;
	if (t->caller.rec != NULL && !t->caller.all)
		(void)t->caller.rec(&d, NULL, t->caller.arg);
	return t->failed != 0 ? dt_handle_error(h, t->failed) : 0;
}

/* Room for the records of a firing that has many; it is used again and ends with the trace. */
static struct dt_rec *many_records(struct dt_trace *t, uint32_t n)
{
	if (n > t->nrecs) {
		t->recs = DT_NEWN(t->arena, struct dt_rec, 2 * (size_t)n);
		t->nrecs = 2 * n;
	}
	return t->recs;
}

/*
 * The consumer's callback. A firing is shown when it has the default action or a statement that shows
 * something; records of clauses that only aggregate or assign are not shown.
 */
static int on_event(void *ctx, const struct dt_event *e)
{
	struct dtrace_hdl *h = ctx;
	int rv = dt_trace_defer(h->trace, e);
	uint32_t n;
	struct dt_rec few[32], *recs = few;

	if (rv != 0)
		return rv < 0 ? rv : 0;
	n = dt_rec_acts(e->ecb, e->layout, e->data);
	if (n > 32)
		recs = many_records(h->trace, n);
	for (uint32_t i = 0; i < n; i++)
		recs[i] = (struct dt_rec){ &e->ecb->acts[i], e->data + e->layout->field[i].off,
			e->layout->field[i].size };
	if (dt_ecb_is_default(e->ecb) || dt_statements_any(recs, n))
		rv = show_event(h, e, recs, n);
	h->doing.firing = NULL;
	h->doing.event = NULL;
	return rv;
}

/* Faults stand where they happened among the firings. */
static int on_fault(void *ctx, const struct dt_recfault *f)
{
	struct dtrace_hdl *h = ctx;

	return dt_trace_settle(h->trace) != 0 ? -1 : dt_trace_fault(h, f);
}

/*
 * Makes the consumer, the text output and the sink, in this order: each uses the one before. The session and
 * the image are there already. -1: the handle's error is set, and dt_trace_clear() frees what was made.
 */
int dt_trace_events(struct dtrace_hdl *h, struct dt_trace *t)
{
	struct dt_consumer_ops ops = { h, on_event, on_fault, dt_trace_drops, dt_trace_fold,
		dt_trace_alike,
		dt_options_on(&h->options, DT_OPT_mergestacks) ? dt_trace_merge : NULL,
		dt_options_on(&h->options, DT_OPT_aggpercpu) };
	struct dt_statement_ops effects = dt_trace_effects(h);

	for (int i = 0; i < 4; i++)
		dt_map_init(&t->alike[i], t->arena);
	t->strsize = h->compiler.strsize;
	t->wide_epid = 0;
	t->merger = dt_merger_new(t, (uint64_t)h->options.val[DT_OPT_namesize]);
	t->consumer = dt_consumer_new(t->engine, dt_trace_layouts(t), t->ecbs, (uint32_t)t->enabled.n, &ops);
	t->h->consumer = t->consumer;
	if (t->consumer == NULL)
		return dt_handle_error(h, EDT_NOMEM);
	dt_trace_text(h, t);
	dt_trace_defer_begin(t);
	dt_out_init(&t->out, NULL, &t->popts);		/* dtrace_work() says where to */
	dt_statements_init(&t->statements, t->arena, &t->out, &effects);
	return dt_trace_sink(h, t);
}
