/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * JSON, one object a line (doc/JSON.md is the schema). Each call is handed to the writer of its line
 * in src/output; only the first line, `start`, is made here.
 *
 * Lines are never mixed: while the line of a firing is made, an action in it may fail, and the line that
 * tells so goes to `inner`, whose text comes after the first one.
 */
#include "sink/sink.h"

#include "output/json.h"


struct json {
	struct dt_sink sink;
	struct dt_json_sink lines;
	/* of actions that fail while the line of their firing is made: these lines follow it */
	struct dt_json_sink inner;
	bool firing;
};

/* Where the next line goes. */
static struct dt_json_sink *lines_of(struct dt_sink *s)
{
	struct json *j = (struct json *)s;

	return j->firing ? &j->inner : &j->lines;
}

static int open_json(struct dt_sink *s)
{
	struct json *j = (struct json *)s;

	dt_json_sink_init(&j->lines, s->env.out, s->env.statements, s->env.aggname, s->env.ctx);
	dt_json_sink_init(&j->inner, &j->lines.after, s->env.statements, s->env.aggname, s->env.ctx);
	return 0;
}

static bool clone_json(struct dt_sink *s)
{
	return open_json(s) == 0;
}

static void close_json(struct dt_sink *s)
{
	dt_json_sink_free(&((struct json *)s)->lines);
	dt_json_sink_free(&((struct json *)s)->inner);
}

/* ---- the first line ---- */

/* Both clocks at one moment, so that readers can turn the times of firings into times of day. */
static void put_clocks(struct dt_json *j, const struct dt_sink_start *start)
{
	dt_json_key(j, "time");
	dt_json_uint(j, start->time);
	dt_json_key(j, "walltime");
	dt_json_uint(j, start->wall);
}

static void put_clause(struct dt_json *j, const struct dt_sink_clause *c)
{
	dt_json_open(j, '{');
	dt_json_key(j, "description");
	dt_json_str(j, c->description);
	if (c->line != 0) {
		dt_json_key(j, "line");
		dt_json_uint(j, c->line);
	}
	dt_json_key(j, "epid");
	dt_json_uint(j, c->epid);
	dt_json_key(j, "probes");
	dt_json_open(j, '[');
	for (uint32_t i = 0; i < c->nprobes; i++)
		dt_json_uint(j, c->probes[i]);
	dt_json_close(j, ']');
	dt_json_close(j, '}');
}

/* The clauses come sorted by program; a program without clauses has an empty list. */
static void put_programs(struct dt_json *j, const struct dt_sink_start *start)
{
	size_t i = 0;

	dt_json_key(j, "programs");
	dt_json_open(j, '[');
	for (uint32_t p = 0; p < start->nprograms; p++) {
		dt_json_open(j, '{');
		dt_json_key(j, "clauses");
		dt_json_open(j, '[');
		for (; i < start->nclauses && start->clauses[i].program == p; i++)
			put_clause(j, &start->clauses[i]);
		dt_json_close(j, ']');
		dt_json_close(j, '}');
	}
	dt_json_close(j, ']');
}

static void put_start(struct dt_sink *s, const struct dt_sink_start *start)
{
	struct dt_json j = dt_json_begin(lines_of(s), "start");

	dt_json_key(&j, "schema");
	dt_json_uint(&j, DT_JSON_SCHEMA);
	dt_json_key(&j, "version");
	dt_json_str(&j, DT_VERSION);
	dt_json_key(&j, "pid");
	dt_json_int(&j, start->pid);
	put_clocks(&j, start);
	put_programs(&j, start);
	dt_json_end(lines_of(s), &j);
}

/* ---- the others ---- */

static struct dt_json_probe probe_of(uint32_t epid, const dtrace_probedesc_t *d)
{
	return (struct dt_json_probe){ epid, d->dtpd_id, d->dtpd_provider, d->dtpd_mod, d->dtpd_func,
	    d->dtpd_name };
}

/* -F: where in the flow of calls it stands; "" is a probe that is neither an entry nor a return. */
static int put_event(struct dt_sink *s, const struct dt_sink_event *e)
{
	struct json *j = (struct json *)s;
	const dtrace_probedata_t *d = e->data;
	struct dt_json_event line = { probe_of(d->dtpda_edesc->dtepd_epid, d->dtpda_pdesc),
		d->dtpda_timestamp,
		(uint32_t)d->dtpda_cpu, NULL, d->dtpda_indent };

	if (e->flow)
		line.flow = d->dtpda_flow == DTRACEFLOW_ENTRY ? "entry" :
		    d->dtpda_flow == DTRACEFLOW_RETURN ? "return" : "";
	j->firing = true;
	dt_json_put_event(&j->lines, &line, e->recs, e->n);
	j->firing = false;
	return 0;
}

/* A fault of the D program, or an action of ours that failed (DTRACEFLT_LIBRARY). */
static void put_fault(struct dt_sink *s, const dtrace_errdata_t *d, bool has_addr)
{
	bool library = d->dteda_fault == DTRACEFLT_LIBRARY;
	uint64_t addr = d->dteda_addr;
	struct dt_json_error line = { .probe = probe_of(d->dteda_edesc->dtepd_epid, d->dteda_pdesc),
		.fault = library ? "action failed" : dt_fault_text(d->dteda_fault), .message = d->dteda_msg,
		.action = d->dteda_action, .offset = d->dteda_offset, .library = library,
		.addr = has_addr ? &addr : NULL };

	dt_json_put_error(lines_of(s), &line);
}

static void put_drop(struct dt_sink *s, const dtrace_dropdata_t *d, const char *kind)
{
	struct dt_json_drop line = { kind, d->dtdda_msg, d->dtdda_cpu, d->dtdda_drops, d->dtdda_total };

	dt_json_put_drop(lines_of(s), &line);
}

static int put_aggregation(struct dt_sink *s, const struct dt_sink_aggs *a)
{
	dt_json_put_agg(lines_of(s), a->ids, a->nids, a->rows, a->n);
	return 0;
}

static void put_end(struct dt_sink *s, int status, bool exited)
{
	dt_json_put_exit(lines_of(s), status, exited);
}

const struct dt_sink_type dt_sink_json = {
	.oformat = DTRACE_OFORMAT_STRUCTURED,
	.size = sizeof(struct json),
	.open = open_json,
	.close = close_json,
	.clone = clone_json,
	.start = put_start,
	.event = put_event,
	.fault = put_fault,
	.drop = put_drop,
	.aggregation = put_aggregation,
	.end = put_end,
};
