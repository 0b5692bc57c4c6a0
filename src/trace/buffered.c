/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Text for a caller that gave no file: each piece goes to the function of dtrace_handle_buffered(), together
 * with the record or element it was made from. The output buffer of the trace (t->out) collects one piece at
 * a time and is emptied after each.
 */
#include "trace/trace.h"

#include <errno.h>

/* Calls the handler. 0, or the EDT_* code that the piece ends the call with. */
static int call_handler(struct dtrace_hdl *h, const dtrace_bufdata_t *d)
{
	struct dt_trace *t = h->trace;

	if (t->h->on.buffered_f == NULL)
		return EDT_NOBUFFERED;
	return t->h->on.buffered_f(d, t->h->on.buffered_arg) == DTRACE_HANDLE_ABORT ? EDT_DIRABORT : 0;
}

/* Hands out whatever the output buffer holds, as one piece that belongs to no record. */
int dt_trace_give(struct dtrace_hdl *h)
{
	struct dt_trace *t = h->trace;
	dtrace_bufdata_t d = { .dtbda_handle = h, .dtbda_buffered = dt_out_text(&t->out) };
	int err = t->out.len > 0 ? call_handler(h, &d) : 0;

	dt_out_clear(&t->out);
	return err != 0 ? dt_handle_error(h, err) : 0;
}

/*
 * The element that a piece of an aggregation shows, and through *rec the record of its key or value. Any
 * element of the row can give the keys; a value is that of its own aggregation, which may have none (NULL)
 * for this key.
 */
static const dtrace_aggdata_t *element_of_piece(struct dtrace_hdl *h, struct dt_arena *arena,
    const struct dt_sink_piece *p, const dtrace_recdesc_t **rec)
{
	const struct dt_aggrow *row = p->row;
	struct dt_agg_elem *keys = NULL, *elem;
	const dtrace_aggdata_t *d;
	struct dt_agg *agg;

	for (uint32_t i = 0; i < row->nvals && keys == NULL; i++)
		keys = row->from[i];
	if (keys == NULL)
		return NULL;
	elem = (p->flags & DTRACE_BUFDATA_AGGVAL) != 0 ? row->from[p->at] : keys;
	agg = dt_consumer_agg(h->trace->consumer, elem != NULL ? elem->layout->id : keys->layout->id);
	d = &dt_aggdata_new(h, arena, agg, elem, keys)->d;
	if (p->flags & DTRACE_BUFDATA_AGGKEY)
		*rec = &d->dtada_desc->dtagd_rec[p->at + 1];
	if (p->flags & DTRACE_BUFDATA_AGGVAL)
		*rec = &d->dtada_desc->dtagd_rec[d->dtada_desc->dtagd_nrecs - 1];
	return d;
}

/*
 * One piece from the sink. The element is made in an arena of its own, since it is valid only during the
 * call.
 */
int dt_trace_take(void *hdl, const struct dt_sink_piece *p)
{
	struct dtrace_hdl *h = hdl;
	struct dt_trace *t = h->trace;
	struct dt_arena *arena = dt_arena_under(t->arena);
	dtrace_bufdata_t d = { .dtbda_handle = h, .dtbda_buffered = dt_out_text(&t->out),
		.dtbda_probe = (dtrace_probedata_t *)p->data,
		.dtbda_recdesc = p->rec, .dtbda_flags = p->flags };
	int err;

	if (p->row != NULL && p->row->from != NULL)
		d.dtbda_aggdata = element_of_piece(h, arena, p, &d.dtbda_recdesc);
	err = call_handler(h, &d);
	dt_arena_free(arena);
	dt_out_clear(&t->out);
	return err;
}

int dtrace_handle_buffered(dtrace_hdl_t *h, dtrace_handle_buffered_f *f, void *arg)
{
	struct dt_trace *t = h->trace;

	if (f == NULL)
		return dt_handle_error(h, EINVAL);
	if (t->h->on.buffered_f != NULL)
		return dt_handle_error(h, EALREADY);
	t->h->on.buffered_f = f;
	t->h->on.buffered_arg = arg;
	return 0;
}
