/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Clauses on probes as callers of dtrace_work() know them: which records a firing has, and where in its data
 * each lies. A description is made at the first firing and lives as long as the trace, so callers may keep
 * pointers to it. Enabled probe ids (epids) count from 1; the vectors here are indexed by epid - 1.
 *
 * The kernel records a string that is known at compile time in as many bytes as it has. Historic callers tell
 * numbers from strings by the size of the record (1, 2, 4, 8), so that for them every string has strsize
 * bytes: a clause with shorter ones (`wide`) has a layout of its own, and each firing is copied to it.
 */
#include "trace/trace.h"
#include "value/value_record.h"

#include <stdlib.h>

struct dt_edesc {
	const struct dt_ecb *ecb;
	uint16_t *rec;				/* by action: its place among the records */
	dtrace_eprobedesc_t *desc;
	bool wide;				/* callers have another layout than the kernel */
};

/* How many bytes a string of `size` bytes has for callers: at least strsize, and more than a number. */
uint32_t dt_trace_stringsize(const struct dt_trace *t, uint32_t size)
{
	uint32_t least = t->strsize > sizeof(int64_t) ? t->strsize : sizeof(int64_t) + 1;

	return size > least ? size : least;
}

bool dt_trace_is_string(const struct dt_act *act)
{
	return act->difo != NULL && act->difo->rtype.kind == DT_DT_STRING && !DT_ACT_IS_AGG(act->kind) &&
	    dt_action_of(act)->value == dt_record_by_type;
}

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

/*
 * Lays the records out for callers, from where the first one lies; the strings have their full size. Records
 * of no bytes stay so.
 */
static void widen(const struct dt_trace *t, struct dt_edesc *e)
{
	dtrace_eprobedesc_t *d = e->desc;
	uint32_t at = d->dtepd_nrecs > 0 ? d->dtepd_rec[0].dtrd_offset : 0;

	for (uint32_t i = 0; i < e->ecb->nacts; i++) {
		dtrace_recdesc_t *r = &d->dtepd_rec[e->rec[i]];
		uint32_t align;

		if (!dt_statement_visible(&e->ecb->acts[i]))
			continue;
		if (r->dtrd_size > 0 && dt_trace_is_string(&e->ecb->acts[i])) {
			r->dtrd_size = dt_trace_stringsize(t, r->dtrd_size);
			r->dtrd_alignment = 8;
		}
		align = r->dtrd_alignment > 1 ? r->dtrd_alignment : 8;
		at = (at + align - 1) & ~(align - 1);
		r->dtrd_offset = at;
		at += r->dtrd_size;
	}
	d->dtepd_size = (at + 7) & ~7u;
}

const struct dt_reclayout *dt_trace_layout(const struct dt_trace *t, uint32_t epid)
{
	return &dt_trace_layouts(t)->recs[epid - 1];
}

/*
 * Describes the records of an enabling. Actions that only steer the trace are left out; `rec` maps the
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
		if (!dt_statement_visible(&ecb->acts[i]))
			continue;
		e->rec[i] = (uint16_t)n;
		e->desc->dtepd_rec[n++] = describe_record(&ecb->acts[i], &layout->field[i]);
		e->wide |= layout->field[i].size > 0 && dt_trace_is_string(&ecb->acts[i]) &&
		    dt_trace_stringsize(t, layout->field[i].size) > layout->field[i].size;
	}
	e->desc->dtepd_nrecs = (int)n;
	if (e->wide)
		widen(t, e);
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
const dtrace_recdesc_t *dt_trace_recdesc(const struct dt_sink_event *event, const struct dt_rec *rec)
{
	const dtrace_eprobedesc_t *d = event->data->dtpda_edesc;
	const struct dt_edesc *e = event->data->dtpda_handle->trace->edescs[d->dtepd_epid - 1];

	return &d->dtepd_rec[e->rec[rec->act - e->ecb->acts]];
}

/*
 * Room for the widened data of a firing. What is after the strings is zero and stays so while the clause is
 * the same: then only the recorded bytes are copied.
 */
static char *wide_room(struct dt_trace *t, const dtrace_eprobedesc_t *d)
{
	if (t->wide_epid == d->dtepd_epid)
		return t->wide;
	if (d->dtepd_size > t->wide_size) {
		t->wide = dt_arena_alloc(t->arena, 2 * (size_t)d->dtepd_size);
		t->wide_size = 2 * d->dtepd_size;
	}
	t->wide_epid = d->dtepd_epid;
	return memset(t->wide, 0, d->dtepd_size);
}

/* The data of a firing as the description says; the description exists. Valid until the next firing. */
char *dt_trace_firing_data(struct dt_trace *t, uint32_t epid, const uint8_t *data)
{
	const struct dt_edesc *e = t->edescs[epid - 1];
	const struct dt_recfield *field = dt_trace_layout(t, epid)->field;
	char *room;

	if (!e->wide)
		return (char *)data;
	room = wide_room(t, e->desc);
	for (uint32_t i = 0; i < e->ecb->nacts; i++)
		if (dt_statement_visible(&e->ecb->acts[i]))
			memcpy(room + e->desc->dtepd_rec[e->rec[i]].dtrd_offset, data + field[i].off,
			    field[i].size);
	return room;
}
