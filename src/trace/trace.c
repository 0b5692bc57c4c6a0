/* SPDX-License-Identifier: BSD-2-Clause */
/* A trace and its engine, for all files of the folder: nothing here calls any of them. */
#include "trace/trace.h"

#include <sys/timerfd.h>

void dt_trace_new(struct dtrace_hdl *h)
{
	struct dt_trace *t = DT_NEW(h->arena, struct dt_trace);

	t->h = h;
	t->arena = dt_arena_under(h->arena);
	t->begin = t->end = UINT32_MAX;
	h->trace = t;
}

const struct dt_layouts *dt_trace_layouts(const struct dt_trace *t) { return t->ops->layouts(t->engine); }

struct dt_unwind *dt_trace_unwinder(const struct dt_trace *t)
{
	return t->engine != NULL && t->ops->unwinder != NULL ? t->ops->unwinder(t->engine) : NULL;
}

struct dt_control *dt_trace_control(const struct dt_trace *t) { return t->ops->control(t->engine); }

void dt_trace_close_engine(struct dt_trace *t)
{
	if (t->engine != NULL)
		t->ops->close(t->engine);
	t->engine = NULL;
}

/* Written by programs in the kernel while we look, hence the atomic loads. */
bool dt_trace_over(struct dt_trace *t)
{
	const struct dt_control *c = dt_trace_control(t);

	return __atomic_load_n(&c->exited, __ATOMIC_RELAXED) || __atomic_load_n(&c->filled, __ATOMIC_RELAXED);
}

/* The timer expires at once; dtrace_work() then sets it anew. */
void dt_trace_wake(struct dtrace_hdl *h)
{
	const struct itimerspec now = { .it_value = { .tv_nsec = 1 } };

	if (h->trace->ctlfd > 0)
		timerfd_settime(h->trace->timerfd, 0, &now, NULL);
}
