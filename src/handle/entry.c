/* SPDX-License-Identifier: BSD-2-Clause */
/* Entering the library and leaving it (entry.h). */
#include "handle/entry.h"

#include "consume/consumer.h"

#include <unwind.h>

/* ---- whether a call is still under way ---- */

struct search {
	const struct dt_active_call *call;
	uintptr_t below;			/* where on the stack the frame begins that comes next */
	bool found;
};

/*
 * Frames from the innermost on. The context of a frame has the stack pointer at the frame's call; the frame
 * ends where the next one begins.
 */
static _Unwind_Reason_Code look_at_frame(struct _Unwind_Context *at, void *arg)
{
	struct search *s = arg;
	uintptr_t frame = (uintptr_t)s->call->frame, sp = _Unwind_GetCFA(at);
	void *code = (void *)_Unwind_GetIP(at);

	if (s->below != 0 && sp > frame)
		return _URC_END_OF_STACK;
	s->below = sp;
	s->found = _Unwind_FindEnclosingFunction(code) ==
	    _Unwind_FindEnclosingFunction((void *)s->call->code);
	return _URC_NO_REASON;
}

/*
 * A callback that was left by longjmp() has taken our frames with it. They are gone if the stack is not as
 * deep any more; else they are looked for among the callers, which takes some microseconds: callbacks call
 * the library for each record, so that this is only done where it matters (sure). The frame that spans the
 * address noted for the call has to be of the function that made it. In other threads we do not look.
 */
static bool is_under_way(const struct dt_active_call *d, const void *here, bool sure)
{
	struct search s = { .call = d };

	if (!pthread_equal(d->thread, pthread_self()))
		return true;
	if ((uintptr_t)d->frame <= (uintptr_t)here)
		return false;
	if (!sure)
		return true;
	_Unwind_Backtrace(look_at_frame, &s);
	return s.found;
}

/* ---- what a call found ---- */

static void put_back(struct dtrace_hdl *h, const struct dt_active_call *d)
{
	dt_arena_on_oom(h->arena, d->outer);
	h->diag = d->diag;
	h->doing = d->doing;
	if (h->consumer != NULL && !d->reading)
		dt_consumer_abandon(h->consumer);
}

/* Calls that never reached dt_entry_end(), the innermost first. */
static void forget_left(struct dtrace_hdl *h, const void *here, bool sure)
{
	while (h->nactive > 0 && !is_under_way(&h->active[h->nactive - 1], here, sure))
		put_back(h, &h->active[--h->nactive]);
}

/* Called after setjmp(), so that the jump never leads to a frame that has not set it yet. */
__attribute__((noinline)) void dt_entry_begin(struct dtrace_hdl *h, struct dt_entry *e, const void *frame,
    bool sure)
{
	if (h->nactive > 0)
		forget_left(h, frame, sure);
	e->found = (struct dt_active_call){ .frame = frame, .code = __builtin_return_address(0),
		.thread = pthread_self(), .diag = h->diag, .doing = h->doing,
		.reading = h->consumer != NULL && dt_consumer_reading(h->consumer) };
	e->found.outer = dt_arena_on_oom(h->arena, &e->env);
	e->depth = h->nactive;
	if (h->nactive < DT_ACTIVE_MAX)
		h->active[h->nactive++] = e->found;
}

void dt_entry_end(struct dtrace_hdl *h, struct dt_entry *e)
{
	dt_arena_on_oom(h->arena, e->found.outer);
	h->nactive = e->depth;
}

/*
 * Memory has run out somewhere below. The state the call found is put back; when no outer call is under way,
 * the handle is in the middle of nothing.
 */
void dt_entry_failed(struct dtrace_hdl *h, struct dt_entry *e)
{
	h->nactive = e->depth;
	put_back(h, &e->found);
	dt_handle_error(h, EDT_NOMEM);
}
