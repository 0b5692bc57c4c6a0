/* SPDX-License-Identifier: BSD-2-Clause */
/* The end of what a trace holds: of a run, and of the trace itself with its handle. */
#include "trace/trace.h"

#include <stdlib.h>
#include <unistd.h>

/*
 * The order is fixed: whatever reads the engine goes before the engine. After this the trace is as before
 * dtrace_go(), apart from its arena.
 */
void dt_trace_clear(struct dt_trace *t)
{
	dt_later_end(t);
	dt_trace_defer_end(t);
	dt_consumer_free(t->consumer);
	dt_trace_containers_end(t);
	dt_trace_close_engine(t);
	dt_sink_close(t->sink);
	if (t->ctlfd > 0) {
		close(t->ctlfd);
		close(t->timerfd);
	}
	dt_flows_free(&t->flows);
	dt_out_free(&t->out);
	dt_merger_free(t->merger);
	t->merger = NULL;
	free(t->edescs);
	t->edescs = NULL;
	t->nedescs = 0;
	t->sink = NULL;
	t->consumer = t->h->consumer = NULL;
	t->begin = t->end = UINT32_MAX;
	t->state = DT_TRACE_IDLE;
}

/* Frees everything; the struct itself is in the handle's arena. */
void dt_trace_free(struct dt_trace *t)
{
	if (t == NULL)
		return;
	dt_trace_clear(t);
	if (t->original > 0)
		close(t->original);
	dt_arena_free(t->textarena);
	dt_arena_free(t->arena);
}
