/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Floods of firings: those that the caller leaves to the library, and whose text depends on their records
 * alone, are formatted by other threads (sink/batch.h). Every other event waits until they are written, and
 * is then shown in the one way there is without threads. So callbacks and statements that do something find
 * all that came before them in the file. A reading ends with everything written.
 *
 * Readings with few firings are not touched: neither a thread nor memory is needed for them.
 */
#include "trace/trace.h"

#include "dif/dif.h"

#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

enum {
	FLOOD = 4096,			/* firings of one reading that are shown one by one */
	THREADS_MAX = 8,
	SPARSE = 2048,			/* firings between two that are shown in their place: too few */
};

static const struct dt_batch_clause not_alone;	/* of a clause whose firings are shown in order */

/* CPUs that this process may use, without the one that reads. */
static unsigned other_cpus(void)
{
	cpu_set_t set;
	int n = sched_getaffinity(0, sizeof(set), &set) == 0 ? CPU_COUNT(&set) :
	    (int)sysconf(_SC_NPROCESSORS_ONLN);

	return n > THREADS_MAX ? THREADS_MAX : n > 1 ? (unsigned)n - 1 : 0;
}

/* A number of threads that the user gave holds from the first firing on. */
void dt_trace_defer_begin(struct dt_trace *t)
{
	struct dt_defer *d = &t->defer;
	int64_t asked = t->h->options.val[DT_OPT_formatthreads];

	d->threads = asked > 0 ? (unsigned)asked - 1 : other_cpus();
	d->always = asked > 1;
	dt_trace_defer_reading(t);
}

void dt_trace_defer_reading(struct dt_trace *t)
{
	struct dt_defer *d = &t->defer;

	d->count = d->last = 0;
	d->from = d->threads == 0 ? UINT64_MAX : d->always ? 0 : FLOOD;
}

/* Before the threads' sink and image go. */
void dt_trace_defer_end(struct dt_trace *t)
{
	dt_batches_free(t->defer.batches);
	free(t->defer.clauses);
	t->defer = (struct dt_defer){ .from = UINT64_MAX };
}

/* ---- clauses ---- */

/* Whether each firing of the clause shows something, as dt_statements_any() would find. */
static bool shows_always(const struct dt_ecb *e, const struct dt_reclayout *l)
{
	bool any = dt_ecb_is_default(e);

	for (uint32_t i = 0; i < e->nacts; i++) {
		if (e->acts[i].kind == DT_ACT_SKIPZ)
			return false;
		any |= dt_statement_visible(&e->acts[i]) &&
		    (l->field[i].size > 0 || !dt_act_is(&e->acts[i], DT_AF_IFVALUE));
	}
	return any;
}

/* The probe is described once for all firings, in memory that threads may read. */
static const struct dt_batch_clause *describe(struct dt_trace *t, const struct dt_event *e)
{
	struct dt_batch_clause *c;

	if (e->ecb->nacts > DT_BATCH_ACTS || !dt_statements_alone(&t->statements, e->ecb))
		return &not_alone;
	c = DT_NEW(t->arena, struct dt_batch_clause);
	c->ecb = e->ecb;
	c->layout = e->layout;
	c->edesc = dt_trace_edesc(t, e->epid);
	c->pdesc = DT_NEW(t->arena, dtrace_probedesc_t);
	dt_trace_describe(t, e->probe_id, c->pdesc);
	c->always = shows_always(e->ecb, e->layout);
	return c->edesc != NULL ? c : &not_alone;
}

/* Room for all enablings there are; probes that come while tracing add some. */
static bool room_for(struct dt_trace *t, uint32_t epid)
{
	struct dt_defer *d = &t->defer;
	uint32_t n = (uint32_t)t->enabled.n;
	const struct dt_batch_clause **more;

	if (epid <= d->nclauses)
		return true;
	more = epid <= n ? realloc(d->clauses, n * sizeof(*more)) : NULL;
	if (more == NULL)
		return false;
	memset(more + d->nclauses, 0, (n - d->nclauses) * sizeof(*more));
	d->clauses = more;
	d->nclauses = n;
	return true;
}

/* A clause is looked at when nothing is being formatted, as its formats join those that threads read. */
static const struct dt_batch_clause *clause_of(struct dt_trace *t, const struct dt_event *e, int *err)
{
	if (!room_for(t, e->epid))
		return &not_alone;
	if (t->defer.clauses[e->epid - 1] == NULL) {
		*err = dt_trace_settle(t);
		t->defer.clauses[e->epid - 1] = describe(t, e);
	}
	return t->defer.clauses[e->epid - 1];
}

/* ---- lines ---- */

bool dt_trace_has_lines(const struct dt_trace *t)
{
	return t->h->on.line_f != NULL && t->fp != NULL && t->sink->type->oformat == DTRACE_OFORMAT_TEXT;
}

/* What the caller puts around the records of a firing. 0, or -1 with the error set. */
int dt_trace_line(struct dt_trace *t, const dtrace_probedata_t *firing, struct dt_trace_line *line)
{
	dtrace_probedata_t d = *firing;
	dtrace_linedata_t l = { .dtlda_handle = t->h, .dtlda_probe = &d, .dtlda_text = line->text,
		.dtlda_size = sizeof(line->text) };
	int n;

	d.dtpda_data = NULL;
	n = t->h->on.line_f(&l, t->h->on.line_arg);
	if (n < 0 || (size_t)n > sizeof(line->text))
		return dt_handle_error(t->h, n < 0 ? EDT_DIRABORT : EDT_BADRVAL);
	line->len = (uint32_t)n;
	line->end = l.dtlda_end;
	return 0;
}

/* ---- firings ---- */

int dt_trace_settle(struct dt_trace *t)
{
	struct dt_defer *d = &t->defer;
	unsigned before = d->started;
	int err;

	if (d->batches == NULL || !dt_batches_any(d->batches))
		return 0;
	d->started = dt_batches_threads(d->batches);
	if (d->started != before)
		dt_debug(t->h, "records are formatted by %u more thread%s", d->started,
		    d->started > 1 ? "s" : "");
	err = dt_batches_settle(d->batches);
	return err != 0 ? dt_handle_error(t->h, err) : 0;
}

/* The caller leaves all to us, and the format writes firings of which each stands alone. */
static bool may_defer(const struct dt_trace *t)
{
	return t->fp != NULL && t->pf == NULL && t->caller.all &&
	    !dt_options_on(&t->h->options, DT_OPT_flowindent) && dt_sink_clonable(t->sink);
}

/* A firing that has to be shown in its place. Where many of them are among others, batches gain nothing. */
static int in_order(struct dt_trace *t)
{
	struct dt_defer *d = &t->defer;

	if (!d->always && d->count - d->last < SPARSE)
		d->from = d->count + FLOOD;
	d->last = d->count;
	return dt_trace_settle(t);
}

/* Gives the firing to the threads. 1: done; 0: it could not be copied; -1: the error is set. */
static int add_firing(struct dt_trace *t, const struct dt_event *e, const struct dt_batch_clause *c)
{
	struct dt_batch_firing f = { .clause = c, .data = e->data, .time = e->time, .cpu = e->cpu };
	dtrace_probedata_t d = { .dtpda_handle = t->h, .dtpda_edesc = c->edesc, .dtpda_pdesc = c->pdesc,
		.dtpda_cpu = (int)e->cpu, .dtpda_timestamp = e->time, .dtpda_flow = DTRACEFLOW_NONE,
		.dtpda_prefix = "| " };
	struct dt_rec recs[DT_BATCH_ACTS];
	struct dt_trace_line line;
	int err;

	if (!dt_trace_has_lines(t))
		return dt_batches_add(t->defer.batches, &f);
	if (!dt_batches_fits(c, sizeof(line.text)))
		return 0;
	if (!c->always && dt_batch_records(c, e->data, recs) == 0)
		return 1;
	t->h->doing.firing = &d;
	err = dt_trace_line(t, &d, &line);
	t->h->doing.firing = NULL;
	if (err != 0)
		return err;
	f.before = line.text;
	f.nbefore = line.len;
	f.end = line.end;
	return dt_batches_add(t->defer.batches, &f);
}

int dt_trace_defer(struct dt_trace *t, const struct dt_event *e)
{
	struct dt_defer *d = &t->defer;
	const struct dt_batch_clause *c = &not_alone;
	int err = 0;

	if (d->count++ < d->from)
		return 0;
	if (d->batches == NULL)
		d->batches = dt_batches_new(t->sink, t->h, d->threads);
	if (d->batches != NULL && may_defer(t))
		c = clause_of(t, e, &err);
	if (err == 0 && c != &not_alone)
		err = add_firing(t, e, c);
	return err != 0 ? err : in_order(t);
}
