/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Arrivals: libraries, programs and children that come while tracing. A thread that brings one says so in the
 * shared memory and waits, so that the probes are live before the first instruction that they are for. It
 * never waits longer than hold_ms in all, nor after tracing has ended: it checks every few milliseconds,
 * because a dtrace that was killed wakes no thread. No firing is in progress meanwhile.
 */
#include "agent/agent_impl.h"

#include <linux/futex.h>
#include <linux/sched.h>

enum { SLICE_MS = 10 };

struct time { int64_t sec, nsec; };

/* ---- which calls ---- */

/* A child with memory of its own. One that borrows ours (vfork(), posix_spawn()) is met when it executes. */
static bool makes_child(const struct dt_firing *f, uint64_t number)
{
	uint64_t flags = f->regs[DT_RAW_ARG0];

#ifdef __NR_fork
	if (number == __NR_fork)
		return true;
#endif
	if (number != __NR_clone && number != __NR_clone3)
		return false;
	if (number == __NR_clone3 && dt_agent_read(f, &flags, f->regs[DT_RAW_ARG0], sizeof(flags)))
		return false;
	return !(flags & (CLONE_VM | CLONE_THREAD));
}

/* 0: the call brings nothing. */
static uint32_t kind_of(const struct dt_firing *f, uint64_t site_asks)
{
	uint64_t number = f->regs[DT_RAW_CALL];

	if (site_asks == DT_ARRIVAL_LIBRARY)
		return DT_ARRIVAL_LIBRARY;
	if (number == __NR_execve || number == __NR_execveat)
		return DT_ARRIVAL_EXEC;
	return f->agent->follow && makes_child(f, number) ? DT_ARRIVAL_FORK : 0;
}

/* ---- asking ---- */

static uint32_t call0(long number) { return (uint32_t)dt_raw_syscall(number, 0, 0, 0, 0, 0, 0); }

/* A free entry becomes ours; NULL: all are in use. */
static struct dt_agent_news *claim(struct dt_agent *a, uint32_t first, uint32_t *word)
{
	for (uint32_t i = 0; i < DT_AGENT_NEWS; i++) {
		struct dt_agent_news *n = &a->news[(first + i) % DT_AGENT_NEWS];
		uint32_t was = __atomic_load_n(&n->word, __ATOMIC_RELAXED);

		if ((was & DT_NEWS_STATE) == DT_NEWS_FREE && __atomic_compare_exchange_n(&n->word, &was,
		    was | DT_NEWS_BUSY, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
			*word = (was & ~(uint32_t)DT_NEWS_STATE) | DT_NEWS_ASKED;
			return n;
		}
	}
	return NULL;
}

static void fill_in(struct dt_agent_news *n, const struct dt_firing *f, uint32_t kind)
{
	bool at = f->regs[DT_RAW_CALL] == __NR_execveat;

	n->kind = kind;
	n->pid = call0(__NR_getpid);
	n->tid = call0(__NR_gettid);
	n->traced = f->process->pid;
	n->dir = at ? (int32_t)f->regs[DT_RAW_ARG0] : -100;	/* AT_FDCWD */
	n->path = f->regs[at ? DT_RAW_ARG1 : DT_RAW_ARG0];
}

static bool go_on(const struct dt_firing *f)
{
	return __atomic_load_n(&f->agent->enabled, __ATOMIC_RELAXED) &&
	    __atomic_load_n(&f->process->enabled, __ATOMIC_RELAXED);
}

/* Slices are counted, not the time: a thread that was stopped meanwhile has not used it up. */
static void wait_for(const struct dt_firing *f, struct dt_agent_news *n, uint32_t word, uint32_t ms)
{
	struct time slice = { 0, SLICE_MS * 1000000 };

	for (uint32_t waited = 0; waited < ms;) {
		if (__atomic_load_n(&n->word, __ATOMIC_ACQUIRE) != word || !go_on(f))
			break;
		/* a signal ends it early: handlers may come all the time */
		waited += dt_raw_syscall(__NR_futex, (uint64_t)&n->word, FUTEX_WAIT, word, (uint64_t)&slice,
		    0, 0) == -EINTR ? 1 : SLICE_MS;
	}
	if (__atomic_compare_exchange_n(&n->word, &word, (word & ~(uint32_t)DT_NEWS_STATE) + 4, false,
	    __ATOMIC_ACQ_REL, __ATOMIC_RELAXED) && go_on(f))
		__atomic_fetch_add(&f->agent->unanswered, 1, __ATOMIC_RELAXED);
}

void dt_agent_ask(const struct dt_firing *f, const struct dt_agent_site *site)
{
	uint32_t ms = __atomic_load_n(&f->agent->hold_ms, __ATOMIC_RELAXED), word, kind;
	struct dt_agent_news *n;

	if (ms == 0 || f->process->no_calls || (kind = kind_of(f, site->asks)) == 0 ||
	    (ms == 1 && kind != DT_ARRIVAL_LIBRARY))
		return;
	n = claim(f->agent, f->slot, &word);
	if (!n) {
		__atomic_fetch_add(&f->agent->unanswered, 1, __ATOMIC_RELAXED);
		return;
	}
	fill_in(n, f, kind);
	__atomic_store_n(&n->word, word, __ATOMIC_RELEASE);
	dt_agent_wake_reader(f->process, f->agent);
	if (ms > 1)
		wait_for(f, n, word, ms);
}
