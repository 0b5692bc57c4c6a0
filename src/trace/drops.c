/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What was lost, as a line for people: how many records, where, and which option with which value would have
 * kept them. That value is the room there was plus room for all that was lost so far, each piece as large as
 * the largest there is: sometimes more than needed, never less.
 */
#include "trace/build.h"

#include <stdio.h>

/* A buffer of one CPU: a larger one is no advice any kernel could follow. */
#define BUFSIZE_MOST (1ull << 30)

/* ---- what one of them takes ---- */

/* The longest record of any clause, with its headers. Reports of faults use the same buffer. */
static uint64_t record_bytes(const struct dt_layouts *l)
{
	uint32_t longest = sizeof(struct dt_recfault);

	for (uint32_t i = 0; i < l->nrecs; i++)
		longest = l->recs[i].size > longest ? l->recs[i].size : longest;
	return l->overhead + sizeof(struct dt_rechdr) + longest;
}

/* The largest element of any aggregation. */
static uint64_t element_bytes(const struct dt_layouts *l)
{
	uint64_t largest = 0;

	for (uint32_t i = 0; i < l->naggs; i++)
		largest = dt_agg_takes(&l->aggs[i]) > largest ? dt_agg_takes(&l->aggs[i]) : largest;
	return largest;
}

/* ---- what to raise ---- */

/* " (-x OPTION=SIZE would have been enough)" with the next power of two, in the largest unit that fits. */
static void name_size(char *to, size_t len, const char *option, uint64_t enough)
{
	static const char units[] = { 0, 'k', 'm', 'g', 't' };
	uint64_t size = 1024;
	size_t unit = 0;

	while (size < enough && size < 1ull << 60)
		size *= 2;
	for (; size >= 1024 && unit + 1 < sizeof(units); unit++)
		size /= 1024;
	snprintf(to, len, " (-x %s=%llu%c would have been enough)", option, (unsigned long long)size,
	    units[unit]);
}

static void raise_buffer(const struct dt_trace *t, uint64_t lost, char *to, size_t len)
{
	uint64_t enough = t->ops->room(t->engine) + lost * record_bytes(dt_trace_layouts(t));

	if (enough > BUFSIZE_MOST)
		snprintf(to, len, " (more than any bufsize holds: record less, or aggregate)");
	else
		name_size(to, len, "bufsize", enough);
}

static void raise_aggregations(const struct dt_trace *t, uint64_t lost, char *to, size_t len)
{
	name_size(to, len, "aggsize", t->build->opts.aggsize + lost * element_bytes(dt_trace_layouts(t)));
}

/*
 * New keys came faster than the kernel refills what a probe takes memory from: no option gives more, but
 * fewer new keys at once, or smaller elements, need less.
 */
static void report_memory(const struct dt_trace *t, uint64_t lost, char *to, size_t len)
{
	(void)t, (void)lost;
	snprintf(to, len,
	    " (the kernel had no memory at hand: aggsize does not help, fewer new keys at once do)");
}

/* self->x is no element of an array: its memory is the kernel's, which can be out of it for a moment. */
static void raise_variables(const struct dt_trace *t, uint64_t lost, char *to, size_t len)
{
	if (dt_trace_layouts(t)->largest_variable != 0)
		name_size(to, len, "dynvarsize",
		    t->build->opts.dynvarsize + lost * dt_trace_layouts(t)->largest_variable);
	else
		snprintf(to, len, " (the kernel had no memory for a variable of a thread)");
}

static void raise_speculations(const struct dt_trace *t, uint64_t lost, char *to, size_t len)
{
	name_size(to, len, "specsize", t->build->opts.specsize + lost * record_bytes(dt_trace_layouts(t)));
}

/* nspec counts speculations, not bytes. */
static void more_speculations(const struct dt_trace *t, uint64_t lost, char *to, size_t len)
{
	snprintf(to, len, " (-x nspec=%llu would have been enough)",
	    (unsigned long long)(t->build->opts.nspec + lost));
}

/*
 * By kind of drop: its name for -x droptags, the kind that callers know, the historic words, and the advice.
 */
static const struct drop_text {
	const char *tag;
	dtrace_dropkind_t kind;
	const char *one, *many, *tail;
	/* NULL: there is nothing to raise */
	void (*raise)(const struct dt_trace *, uint64_t lost, char *to, size_t len);
} drop_texts[DT_NDROPS] = {
	[DT_DROP_PRINCIPAL] = { "PRINCIPAL", DTRACEDROP_PRINCIPAL, "drop", "drops", "", raise_buffer },
	[DT_DROP_AGGREGATION] = { "AGGREGATION", DTRACEDROP_AGGREGATION, "aggregation drop",
		"aggregation drops", "", raise_aggregations },
	[DT_DROP_AGGMEMORY] = { "AGGREGATION", DTRACEDROP_AGGREGATION, "aggregation drop",
		"aggregation drops", "", report_memory },
	[DT_DROP_MOMENT] = { "AGGREGATION", DTRACEDROP_AGGREGATION, "late snapshot", "late snapshots",
		" (printa(), clear() or trunc() came faster than aggregations can be read)", NULL },
	[DT_DROP_DYNAMIC] = { "DYNAMIC", DTRACEDROP_DYNAMIC, "dynamic variable drop",
		"dynamic variable drops", "", raise_variables },
	[DT_DROP_SPEC] = { "SPEC", DTRACEDROP_SPEC, "speculative drop", "speculative drops", "",
		raise_speculations },
	[DT_DROP_SPECBUSY] = { "SPECBUSY", DTRACEDROP_SPECBUSY, "failed speculation", "failed speculations",
		" (available buffer(s) still busy)",
	  more_speculations },
	[DT_DROP_SPECUNAVAIL] = { "SPECUNAVAIL", DTRACEDROP_SPECUNAVAIL, "failed speculation",
		"failed speculations",
	  " (no speculative buffer available)", more_speculations },
	[DT_DROP_SLOT] = { "PRINCIPAL", DTRACEDROP_PRINCIPAL, "drop", "drops",
		" (too many probes fired inside each other)", NULL },
	[DT_DROP_NESTED] = { "PRINCIPAL", DTRACEDROP_PRINCIPAL, "drop", "drops",
		" (fired inside another probe)", NULL },
	[DT_DROP_SAMPLE] = { "PRINCIPAL", DTRACEDROP_PRINCIPAL, "drop", "drops",
		" (samples that could not be taken in time)", NULL },
	[DT_DROP_DBLERROR] = { "DBLERROR", DTRACEDROP_DBLERROR, "error in ERROR probe enabling",
		"errors in ERROR probe enabling", "", NULL },
};

/*
 * The consumer found more drops of a kind since it last looked. The sink is called first, then the handler,
 * which decides whether tracing goes on; without a handler the first drop ends it, as in history.
 */
int dt_trace_drops(void *ctx, const struct dt_dropped *dropped)
{
	struct dtrace_hdl *h = ctx;
	struct dt_trace *t = h->trace;
	const struct drop_text *d = &drop_texts[dropped->kind];
	char msg[320], on[32] = "", tag[48] = "", hint[128] = "";
	uint64_t lost;

	if (dropped->cpu >= 0)
		snprintf(on, sizeof(on), " on CPU %d", dropped->cpu);
	else if (dropped->ncpus > 0)
		snprintf(on, sizeof(on), " on %u CPUs", dropped->ncpus);
	if (dt_options_on(&h->options, DT_OPT_droptags))
		snprintf(tag, sizeof(tag), "[DTRACEDROP_%s] ", d->tag);
	t->dropped[d->kind] += dropped->n;
	lost = d->raise == raise_buffer ? dropped->worst : t->dropped[d->kind];
	if (d->raise != NULL && t->build != NULL)
		d->raise(t, lost, hint, sizeof(hint));
	snprintf(msg, sizeof(msg), "%s%llu %s%s%s%s\n", tag, (unsigned long long)dropped->n,
	    dropped->n == 1 ? d->one : d->many, d->tail, on, hint);
	dtrace_dropdata_t data = { h, dropped->cpu, d->kind, dropped->n, t->dropped[d->kind], msg };

	dt_trace_sink_start(t);
	if (t->sink->type->drop != NULL)
		t->sink->type->drop(t->sink, &data, d->tag);
	if (t->h->on.drop_f == NULL || t->h->on.drop_f(&data, t->h->on.drop_arg) == DTRACE_HANDLE_ABORT)
		return dt_handle_error(h, EDT_DROPABORT);
	return 0;
}
