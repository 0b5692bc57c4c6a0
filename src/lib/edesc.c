/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Clauses on probes as callers of dtrace_work() know them: which records a firing has, and where in its data
 * each lies. A description is made at the first firing and lives as long as the trace, so callers may keep
 * pointers to it. Enabled probe ids (epids) count from 1; the vectors here are indexed by epid - 1.
 */
#include "lib/trace.h"

#include <stdlib.h>

struct dt_edesc {
	const struct dt_ecb *ecb;
	uint16_t *rec;				/* by action: its place among the records */
	dtrace_eprobedesc_t *desc;
};

/* Integers are aligned to their size; anything else is aligned to a word if it happens to lie on one. */
static uint16_t record_alignment(const struct dt_recfield *f)
{
	if (f->size == 1 || f->size == 2 || f->size == 4 || f->size == 8)
		return (uint16_t)f->size;
	return f->off % 8 == 0 ? 8 : 1;
}

/* One record for callers. Records of one statement share dtrd_uarg. */
static dtrace_recdesc_t describe_record(const struct dt_act *act, const struct dt_recfield *f)
{
	return (dtrace_recdesc_t){ .dtrd_action = act->kind, .dtrd_size = f->size, .dtrd_offset = f->off,
		.dtrd_alignment = record_alignment(f), .dtrd_format = act->fmt != NULL,
		.dtrd_arg = (uint64_t)act->arg,
		.dtrd_uarg = act->stmt };
}

/* The newest image describes the records of all images before it. */
const struct dt_reclayout *dt_trace_layout(const struct dt_trace *t, uint32_t epid)
{
	const struct dt_image *newest = t->grafts.n > 0 ? t->grafts.v[t->grafts.n - 1] : t->image;

	return &newest->recs[epid - 1];
}

/*
 * Describes the records of an enabling. Actions that only steer the trace are not told; `rec` maps the
 * others.
 */
static struct dt_edesc *make_edesc(struct dt_trace *t, uint32_t epid)
{
	const struct dt_ecb *ecb = t->ecbs[epid - 1];
	const struct dt_reclayout *layout = dt_trace_layout(t, epid);
	struct dt_edesc *e = DT_NEW(t->arena, struct dt_edesc);
	uint32_t n = 0;

	e->ecb = ecb;
	e->rec = DT_NEWN(t->arena, uint16_t, ecb->nacts + 1);
	e->desc = dt_arena_alloc(t->arena, sizeof(*e->desc) + ecb->nacts * sizeof(dtrace_recdesc_t));
	*e->desc = (dtrace_eprobedesc_t){ .dtepd_epid = epid, .dtepd_probeid = layout->probe_id,
		.dtepd_uarg = (uintptr_t)ecb,
		.dtepd_size = layout->size };
	for (uint32_t i = 0; i < ecb->nacts; i++) {
		if (!dt_statement_tells(&ecb->acts[i]))
			continue;
		e->rec[i] = (uint16_t)n;
		e->desc->dtepd_rec[n++] = describe_record(&ecb->acts[i], &layout->field[i]);
	}
	e->desc->dtepd_nrecs = (int)n;
	return e;
}

/*
 * Grows the vector to all enablings there are. It is malloc()ed, not in the arena, because probes that come
 * while tracing let it grow again and again.
 */
static bool room_for(struct dt_trace *t, uint32_t epid)
{
	uint32_t n = (uint32_t)t->enabled.n;
	struct dt_edesc **more;

	if (epid <= t->nedescs)
		return true;
	more = realloc(t->edescs, n * sizeof(*more));
	if (more == NULL)
		return false;
	memset(more + t->nedescs, 0, (n - t->nedescs) * sizeof(*more));
	t->edescs = more;
	t->nedescs = n;
	return true;
}

dtrace_eprobedesc_t *dt_trace_edesc(struct dt_trace *t, uint32_t epid)
{
	if (epid == 0 || epid > t->enabled.n || !room_for(t, epid))
		return NULL;
	if (t->edescs[epid - 1] == NULL)
		t->edescs[epid - 1] = make_edesc(t, epid);
	return t->edescs[epid - 1]->desc;
}

/*
 * The description of one record of a firing: the sink calls this for records it hands to the caller. The
 * firing's description exists by then.
 */
const dtrace_recdesc_t *dt_trace_recdesc(const struct dt_sink_event *told, const struct dt_rec *rec)
{
	const dtrace_eprobedesc_t *d = told->data->dtpda_edesc;
	const struct dt_edesc *e = told->data->dtpda_handle->trace->edescs[d->dtepd_epid - 1];

	return &d->dtepd_rec[e->rec[rec->act - e->ecb->acts]];
}
