/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which threads and processes live. A thread does not say when it ends: its slot is freed when its number is
 * gone from /proc, so that a later thread with the same number begins with empty thread-local variables, and
 * a mark that it has left behind is not waited for. Looked at once a second: numbers are used again after
 * some 30,000 others at the earliest.
 */
#include "inproc/target.h"

#include "agent/agent_read.h"
#include "base/clock.h"

#include <stdlib.h>

#define PERIOD_NS 1000000000ull

struct slot { uint32_t i, tid; uint64_t life; };
struct tids { uint32_t *v; uint32_t n, cap; bool lost; };

bool dt_inproc_forget_ended(struct inproc *p)
{
	bool any = p->any_ended;

	p->any_ended = false;
	for (uint32_t i = 0; i < p->ntargets; i++) {
		if (p->target[i]->ended || !dt_inject_ended(p->target[i]->inject))
			continue;
		p->target[i]->ended = any = true;
		dt_agent_forget(p->agent, p->target[i]->pid);
	}
	return any;
}

static void note_tid(void *ctx, uint32_t tid)
{
	struct tids *t = ctx;

	if (t->n == t->cap) {
		uint32_t cap = t->cap * 2 + 64, *more = realloc(t->v, cap * sizeof(*more));

		if (more == NULL) {
			t->lost = true;
			return;
		}
		t->v = more;
		t->cap = cap;
	}
	t->v[t->n++] = tid;
}

static int by_number(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static bool lives(const struct tids *t, uint32_t tid)
{
	return t->n > 0 && bsearch(&tid, t->v, t->n, sizeof(tid), by_number) != NULL;
}

/* Slots are noted before threads are listed: one that began in between is not taken for ended. */
static uint32_t note_slots(const struct inproc *p, uint32_t pid, struct slot *slots)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < DT_AGENT_THREADS; i++) {
		const struct dt_agent_thread *t = &p->agent->thread[i];
		uint64_t owner = __atomic_load_n(&t->owner, __ATOMIC_ACQUIRE);

		if (owner >> 32 == pid)
			slots[n++] = (struct slot){ i, (uint32_t)owner,
				__atomic_load_n(&t->life, __ATOMIC_RELAXED) };
	}
	return n;
}

static void free_slot(struct inproc *p, uint32_t pid, const struct slot *s)
{
	struct dt_agent_thread *t = &p->agent->thread[s->i];
	uint64_t owner = (uint64_t)pid << 32 | s->tid;

	if (__atomic_load_n(&t->life, __ATOMIC_RELAXED) == s->life)
		(void)__atomic_compare_exchange_n(&t->owner, &owner, 0, false, __ATOMIC_ACQ_REL,
		    __ATOMIC_RELAXED);
}

static void look_at(struct inproc *p, struct inproc_target *t, struct slot *slots)
{
	uint32_t n = note_slots(p, t->pid, slots);
	struct tids all = { 0 };

	if (dt_inject_newly_filtered(t->inject, t->process))
		__atomic_store_n(&p->silent, true, __ATOMIC_RELAXED);
	if (n > 0 && dt_inject_tids(t->inject, note_tid, &all) == 0 && !all.lost && all.n > 0) {
		qsort(all.v, all.n, sizeof(*all.v), by_number);
		for (uint32_t i = 0; i < n; i++)
			if (!lives(&all, slots[i].tid))
				free_slot(p, t->pid, &slots[i]);
	}
	free(all.v);
}

void dt_inproc_look(struct inproc *p)
{
	uint64_t now = dt_clock_ns();
	struct slot *slots;

	if (!p->attached || now - p->looked < PERIOD_NS)
		return;
	p->looked = now;
	slots = calloc(DT_AGENT_THREADS, sizeof(*slots));
	for (uint32_t i = 0; i < p->ntargets && slots != NULL; i++)
		if (!p->target[i]->ended)
			look_at(p, p->target[i], slots);
	free(slots);
}
