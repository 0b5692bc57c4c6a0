/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * -O json: what the trace knows, handed to the JSON sink. The first line describes the programs; it is written before
 * any other, the "exit" line after the last aggregation.
 */
#include "lib/trace.h"

#include "dif/dif.h"

#include <time.h>
#include <unistd.h>

static const char *aggname(void *ctx, int64_t id)
{
	struct dt_trace *t = ctx;
	struct dt_agg *agg = id >= 0 && id <= UINT32_MAX ? dt_consumer_agg(t->consumer, (uint32_t)id) : NULL;

	return agg != NULL ? agg->layout->name : NULL;
}

void dt_trace_json_init(struct dtrace_hdl *h, struct dt_trace *t)
{
	t->json_on = h->options.val[DT_OPT_oformat] == DT_OFORMAT_JSON;
	if (t->json_on)
		dt_json_sink_init(&t->json, &t->out, &t->statements, aggname, t);
}

void dt_trace_json_free(struct dt_trace *t)
{
	if (t->json_on)
		dt_json_sink_free(&t->json);
}

/* ---- the first line ---- */

static void put_clock(struct dt_json *j, const char *key, clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	dt_json_key(j, key);
	dt_json_uint(j, (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec);
}

/* One clause and the probes it is enabled on; returns how many enablings that are. */
static size_t put_clause(struct dt_json *j, const struct dt_enabled *e, size_t n)
{
	const struct dt_probedesc *d = &e->ecb->probe;
	char text[1024];
	size_t i;

	if (d->id != 0)
		snprintf(text, sizeof(text), "%u", d->id);
	else
		snprintf(text, sizeof(text), "%s:%s:%s:%s", d->prov, d->mod, d->func, d->name);
	dt_json_open(j, '{');
	dt_json_key(j, "description");
	dt_json_str(j, text);
	if (e->ecb->loc.src != NULL) {
		dt_json_key(j, "line");
		dt_json_uint(j, dt_loc_place(e->ecb->loc).line);
	}
	dt_json_key(j, "epid");
	dt_json_uint(j, e->epid);
	dt_json_key(j, "probes");
	dt_json_open(j, '[');
	for (i = 0; i < n && e[i].ecb == e->ecb; i++)
		dt_json_uint(j, e[i].probe->id);
	dt_json_close(j, ']');
	dt_json_close(j, '}');
	return i;
}

static void put_program(struct dt_json *j, const struct dt_trace *t, const struct dt_prog *prog)
{
	size_t i = 0;

	dt_json_open(j, '{');
	dt_json_key(j, "clauses");
	dt_json_open(j, '[');
	while (i < t->enabled.n)
		i += t->enabled.v[i].prog == prog && t->enabled.v[i].probe->id != 0 ? put_clause(j, &t->enabled.v[i], t->enabled.n - i) : 1;
	dt_json_close(j, ']');
	dt_json_close(j, '}');
}

/* Before any other line. */
static bool start(struct dt_trace *t)
{
	struct dt_json j;

	if (!t->json_on || t->json_started)
		return t->json_on;
	t->json_started = true;
	j = dt_json_begin(&t->json, "start");
	dt_json_key(&j, "schema");
	dt_json_uint(&j, DT_JSON_SCHEMA);
	dt_json_key(&j, "version");
	dt_json_str(&j, DT_VERSION);
	dt_json_key(&j, "pid");
	dt_json_int(&j, getpid());
	put_clock(&j, "time", CLOCK_MONOTONIC);
	put_clock(&j, "walltime", CLOCK_REALTIME);
	dt_json_key(&j, "programs");
	dt_json_open(&j, '[');
	for (size_t i = 0; i < t->progs.n; i++)
		put_program(&j, t, t->progs.v[i]);
	dt_json_close(&j, ']');
	dt_json_end(&t->json, &j);
	return true;
}

/* ---- the others; false: text is wanted ---- */

static struct dt_json_probe probe_of(uint32_t epid, const dtrace_probedesc_t *d)
{
	return (struct dt_json_probe){ epid, d->dtpd_id, d->dtpd_provider, d->dtpd_mod, d->dtpd_func, d->dtpd_name };
}

bool dt_trace_json_event(struct dtrace_hdl *h, const dtrace_probedata_t *d, const struct dt_rec *recs, size_t n)
{
	struct dt_trace *t = h->trace;
	struct dt_json_event e;

	if (!start(t))
		return false;
	e = (struct dt_json_event){ probe_of(d->dtpda_edesc->dtepd_epid, d->dtpda_pdesc), d->dtpda_timestamp, (uint32_t)d->dtpda_cpu, NULL,
		d->dtpda_indent };
	if (dt_options_on(&h->options, DT_OPT_flowindent))
		e.flow = d->dtpda_flow == DTRACEFLOW_ENTRY ? "entry" : d->dtpda_flow == DTRACEFLOW_RETURN ? "return" : "";
	dt_json_put_event(&t->json, &e, recs, n);
	return true;
}

bool dt_trace_json_fault(struct dtrace_hdl *h, const dtrace_errdata_t *d, bool has_addr)
{
	struct dt_trace *t = h->trace;
	uint64_t addr = d->dteda_addr;
	struct dt_json_error e = { probe_of(d->dteda_edesc->dtepd_epid, d->dteda_pdesc), dt_fault_text(d->dteda_fault), d->dteda_msg,
		d->dteda_action, d->dteda_offset, has_addr ? &addr : NULL };

	if (!start(t))
		return false;
	dt_json_put_error(&t->json, &e);
	return true;
}

bool dt_trace_json_drop(struct dtrace_hdl *h, const dtrace_dropdata_t *d, const char *kind)
{
	struct dt_trace *t = h->trace;
	struct dt_json_drop drop = { kind, d->dtdda_msg, d->dtdda_cpu, d->dtdda_drops, d->dtdda_total };

	if (!start(t))
		return false;
	dt_json_put_drop(&t->json, &drop);
	return true;
}

bool dt_trace_json_agg(struct dt_trace *t, int64_t id, const struct dt_aggrow *rows, size_t n)
{
	if (!start(t))
		return false;
	dt_json_put_agg(&t->json, &id, 1, rows, n);
	return true;
}

void dt_trace_json_start(struct dt_trace *t)
{
	(void)start(t);
}

/* After the last aggregation of a trace that has ended. */
void dt_trace_json_exit(struct dtrace_hdl *h)
{
	struct dt_trace *t = h->trace;

	if (t->state != DT_TRACE_STOPPED || t->json_ended || !start(t))
		return;
	t->json_ended = true;
	dt_json_put_exit(&t->json, h->exitstatus, dt_session_control(t->session)->exited != 0);
}
