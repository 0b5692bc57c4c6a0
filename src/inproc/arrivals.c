/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What comes while tracing. Threads that bring something say so in the shared memory and wait
 * (agent/agent_ask.c); here they are answered, after the trace has looked at what has come and what it
 * enables is live. All that they say is copied and checked: any process of the trace can write there.
 */
#include "inproc/births.h"

#include "base/clock.h"

#include <errno.h>
#include <linux/futex.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* ---- looking at processes ---- */

/*
 * The trace grafts what is new; places of hooks that there were before are looked for in code that has come.
 * A process that has ended meanwhile is no failure, and others have their message from the graft.
 */
void dt_inproc_look_at(struct inproc *p, uint32_t pid, dt_arrived_f *f, void *ctx)
{
	struct inproc_target *t = dt_inproc_target(p, pid);
	char msg[512];

	if (t == NULL)
		return;
	if (f != NULL)
		f(ctx, pid, t->root);
	pthread_mutex_lock(&p->tracing);
	(void)dt_inproc_attach(p, pid, inproc_newest(p)->nprogs, msg, sizeof(msg));
	pthread_mutex_unlock(&p->tracing);
}

/* ---- answers ---- */

struct asked { struct inproc *p; struct dt_agent_news *news; uint32_t word; };

static void answer(struct inproc *p, struct dt_agent_news *n, uint32_t word)
{
	uint32_t was = word;

	(void)p;
	if (__atomic_compare_exchange_n(&n->word, &was, (word & ~(uint32_t)DT_NEWS_STATE) + 4, false,
	    __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
		(void)syscall(SYS_futex, &n->word, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
}

static void answer_later(void *ctx)
{
	struct asked *a = ctx;

	answer(a->p, a->news, a->word);
}

static void take(struct inproc *p, struct dt_agent_news *n, uint32_t word, dt_arrived_f *f, void *ctx)
{
	struct asked a = { p, n, word };
	const struct inproc_answer b = { answer_later, &a };
	struct dt_agent_news said;

	memcpy(&said, n, sizeof(said));
	if (said.kind == DT_ARRIVAL_LIBRARY)
		dt_inproc_look_at(p, said.traced, f, ctx);
	else if (said.kind == DT_ARRIVAL_EXEC)
		dt_inproc_take_exec(p, &said, &b, f, ctx);
	else if (said.kind == DT_ARRIVAL_FORK)
		dt_inproc_take_fork(p, &said, &b);
	answer(p, n, word);
}

void dt_inproc_arrived(struct dt_engine *e, dt_arrived_f *f, void *ctx)
{
	struct inproc *p = inproc_of(e);

	if (!p->attached)
		return;
	for (uint32_t i = 0; i < DT_AGENT_NEWS; i++) {
		struct dt_agent_news *n = &p->agent->news[i];
		uint32_t word = __atomic_load_n(&n->word, __ATOMIC_ACQUIRE);

		if ((word & DT_NEWS_STATE) == DT_NEWS_ASKED)
			take(p, n, word, f, ctx);
	}
	dt_inproc_check(p, f, ctx);
}

uint32_t dt_inproc_unheld(const struct dt_engine *e)
{
	const struct inproc *p = (const struct inproc *)e;

	if (p->agent->hold_ms <= 1)	/* that is what was asked for */
		return 0;
	return p->late + __atomic_load_n(&p->agent->unanswered, __ATOMIC_RELAXED);
}

/* ---- the beginning ---- */

/* 1 ms says that nothing waits (agent_ask.c). */
int dt_inproc_hold(struct dt_engine *e, uint32_t ms, bool follow, char *msg, size_t len)
{
	struct inproc *p = inproc_of(e);

	p->follow = follow;
	p->agent->follow = follow;
	__atomic_store_n(&p->agent->hold_ms, ms > 1 ? ms : 1, __ATOMIC_RELEASE);
	for (uint32_t i = 0; i < p->ntargets; i++)	/* what has come since they were attached to */
		dt_inproc_look_at(p, p->target[i]->pid, NULL, NULL);
	if ((p->unheld & 1u << DT_ARRIVAL_LIBRARY) == 0)
		return 0;
	snprintf(msg, len, "libraries that are loaded from now on are not traced: the dynamic linker has no "
	    "_dl_debug_state() where a probe can be put");
	return -ENOTSUP;
}
