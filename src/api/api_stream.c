/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A recording as a stream of events: bytes come in as they arrive, from a file, a pipe or the network; the
 * caller's functions are called for each whole block. What a caller knows of firings and elements of a trace
 * (dtrace_probedata_value(), dtrace_aggdata_key() and the like) it knows of those of a stream. Nothing is
 * traced, and the handle needs no rights.
 */
#include "handle/entry.h"
#include "sink/recording.h"
#include "trace/trace.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct dtrace_stream {
	dtrace_hdl_t *h;
	dtrace_stream_ops_t ops;
	void *arg;
	struct dt_print_opts opts;
	struct dt_out out;
	struct dt_play play;
	struct dt_player *player;
	bool ended_by_caller;
	char why[DT_SINK_WHY];
};

static dtrace_stream_t *stream_of(const struct dt_sink *s)
{
	return (dtrace_stream_t *)(uintptr_t)s->env.argument;
}

/* 0, or what makes the player end. */
static int answer(dtrace_stream_t *s, int rv)
{
	s->ended_by_caller |= rv != 0;
	return rv != 0 ? EINTR : 0;
}

static int give_host(void *ctx, const struct dt_host *h)
{
	dtrace_stream_t *s = ctx;
	dtrace_host_t host = { .dth_name = h->name, .dth_machine = h->machine, .dth_release = h->release,
		.dth_boot = h->boot, .dth_version = h->version, .dth_monotonic = h->monotonic,
		.dth_wall = h->wall, .dth_cpus = h->ncpus };

	return s->ops.dts_host != NULL ? answer(s, s->ops.dts_host(&host, s->arg)) : 0;
}

static int give_fault(void *ctx, const dtrace_errdata_t *d)
{
	dtrace_stream_t *s = ctx;
	dtrace_errdata_t mine = *d;

	mine.dteda_handle = s->h;
	return s->ops.dts_error != NULL ? answer(s, s->ops.dts_error(&mine, s->arg)) : 0;
}

static int give_drop(void *ctx, const dtrace_dropdata_t *d)
{
	dtrace_stream_t *s = ctx;
	dtrace_dropdata_t mine = *d;

	mine.dtdda_handle = s->h;
	return s->ops.dts_drop != NULL ? answer(s, s->ops.dts_drop(&mine, s->arg)) : 0;
}

static int give_left(void *ctx, uint32_t kind, uint64_t n)
{
	dtrace_stream_t *s = ctx;

	return s->ops.dts_left != NULL ? answer(s, s->ops.dts_left((int)kind, n, s->arg)) : 0;
}

static int give_event(struct dt_sink *sink, const struct dt_sink_event *e)
{
	dtrace_stream_t *s = stream_of(sink);
	const struct dt_sink_event *before = s->h->doing.event;
	int rv;

	if (s->ops.dts_firing == NULL)
		return 0;
	e->data->dtpda_handle = s->h;
	s->h->doing.event = e;
	rv = s->ops.dts_firing(e->data, s->arg);
	s->h->doing.event = before;
	return answer(s, rv);
}

static void give_text(struct dt_sink *sink, const void *text, size_t n)
{
	dtrace_stream_t *s = stream_of(sink);

	if (s->ops.dts_text != NULL && !s->ended_by_caller)
		(void)answer(s, s->ops.dts_text(text, n, s->arg));
}

static void give_snapshot(struct dt_sink *sink, const struct dt_sink_aggs *a)
{
	dtrace_stream_t *s = stream_of(sink);

	if (s->ops.dts_snapshot != NULL && !s->ended_by_caller)
		(void)answer(s, s->ops.dts_snapshot(a->ids[0], sink->env.now(sink->env.ctx), s->arg));
}

static int pass_over(struct dt_sink *sink, const struct dt_sink_aggs *a)
{
	(void)sink, (void)a;
	return 0;
}

static void give_end(struct dt_sink *sink, int status, bool exited)
{
	dtrace_stream_t *s = stream_of(sink);

	(void)exited;
	if (s->ops.dts_end != NULL && s->play.ended && !s->ended_by_caller)
		(void)answer(s, s->ops.dts_end(status, s->arg));
}

static const struct dt_sink_type stream_sink = {
	.oformat = DTRACE_OFORMAT_TEXT,
	.size = sizeof(struct dt_sink),
	.event = give_event,
	.snapshot = give_snapshot,
	.text = give_text,
	.aggregation = pass_over,
	.end = give_end,
};

static dtrace_stream_t *open_stream(dtrace_hdl_t *h, const dtrace_stream_ops_t *ops, void *arg)
{
	dtrace_stream_t *s;

	if (ops == NULL || ops->dts_size < sizeof(ops->dts_size) || ops->dts_size > sizeof(*ops)) {
		(void)dt_handle_error(h, EINVAL);
		return NULL;
	}
	if ((s = calloc(1, sizeof(*s))) == NULL) {
		(void)dt_handle_error(h, EDT_NOMEM);
		return NULL;
	}
	s->h = h;
	s->arg = arg;
	memcpy(&s->ops, ops, ops->dts_size);
	s->opts = dt_print_defaults;
	dt_out_init(&s->out, NULL, &s->opts);
	s->play = (struct dt_play){ .sink = &stream_sink, .argument = (const char *)s, .out = &s->out,
		.opts = &s->opts, .ctx = s, .host = give_host, .fault = give_fault, .drop = give_drop,
		.left = give_left };
	s->player = dt_play_open(&s->play, s->why);
	if (s->player != NULL)
		return s;
	(void)dt_handle_errorf(h, EDT_NOMEM, "%s", s->why);
	free(s);
	return NULL;
}

static int feed_stream(dtrace_stream_t *s, const void *bytes, size_t n)
{
	if (s->ended_by_caller || dt_play_feed(s->player, bytes, n) != 0 || s->ended_by_caller)
		return s->ended_by_caller ? dt_handle_error(s->h, EDT_DIRABORT) :
		    dt_handle_errorf(s->h, EINVAL, "the stream: %s", s->why);
	return 0;
}

static int close_stream(dtrace_stream_t *s)
{
	dtrace_hdl_t *h = s->h;
	int err = dt_play_close(s->player);

	if (err != 0 || s->ended_by_caller)
		err = s->ended_by_caller ? dt_handle_error(h, EDT_DIRABORT) :
		    dt_handle_errorf(h, EINVAL, "the stream: %s", s->why);
	dt_out_free(&s->out);
	free(s);
	return err;
}

/* ---- elements ---- */

struct walk { dtrace_stream_t *s; dtrace_aggregate_f *f; void *arg; };

static int give_element(void *ctx, int64_t id, const char *name, const struct dt_aggrow *row)
{
	struct walk *w = ctx;
	dtrace_aggdesc_t desc = { .dtagd_name = (char *)(uintptr_t)name, .dtagd_varid = id };
	struct dt_aggdata a = { .d = { .dtada_handle = w->s->h, .dtada_desc = &desc,
		.dtada_normal = (uint64_t)row->vals[0].normal }, .row = *row, .val = row->vals[0],
		.opts = &w->s->opts };

	switch (w->f(&a.d, w->arg)) {
	case DTRACE_AGGWALK_NEXT: return 0;
	case DTRACE_AGGWALK_ERROR: return -1;
	case DTRACE_AGGWALK_ABORT: return dt_handle_error(w->s->h, EDT_DIRABORT);
	default: return dt_handle_error(w->s->h, EDT_BADRVAL);
	}
}

static int walk_stream(dtrace_stream_t *s, dtrace_aggregate_f *f, void *arg)
{
	struct walk w = { s, f, arg };

	return f != NULL ? dt_play_walk(s->player, give_element, &w) : dt_handle_error(s->h, EINVAL);
}

dtrace_stream_t *dtrace_stream_open(dtrace_hdl_t *h, const dtrace_stream_ops_t *ops, void *arg)
{
	DT_PUBLIC(h, NULL, open_stream(h, ops, arg));
}

int dtrace_stream_feed(dtrace_stream_t *s, const void *bytes, size_t n)
{
	DT_PUBLIC(s->h, -1, feed_stream(s, bytes, n));
}

int dtrace_stream_walk(dtrace_stream_t *s, dtrace_aggregate_f *f, void *arg)
{
	DT_PUBLIC(s->h, -1, walk_stream(s, f, arg));
}

int dtrace_stream_close(dtrace_stream_t *s)
{
	dtrace_hdl_t *h = s->h;

	DT_PUBLIC(h, -1, close_stream(s));
}
