/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A firing: finds the slot of the thread, marks it and runs programs on the stack of that slot. The stack
 * of the process may be tiny (a goroutine has some hundred bytes to spare), so what runs there is short and
 * has small frames; so have light programs, which run there too. A thread is marked before it looks whether
 * it may run: dtrace waits for marks to go. The order of the two is dtrace's affair, not ours: a fence here
 * would cost more than all else (dt_agent_grace()).
 */
#include "agent/agent_impl.h"

#include <linux/bpf.h>

/* what the assembly relies on */
_Static_assert(DT_FIRING_SIZE == 400 && offsetof(struct dt_firing, site) == 320 &&
    offsetof(struct dt_firing, cookie) == 352 && sizeof(struct dt_agent_call) == 16 &&
    offsetof(struct dt_agent_site, entry) == 0 && offsetof(struct dt_agent_site, back) == 8 &&
    offsetof(struct dt_agent_site, pc) == 24, "places in entry_aarch64.S and entry_x86_64.S");

enum { PROBES = 32 };			/* slots that may be a thread's */
#define SLOW __attribute__((noinline, cold))

static uint32_t first_slot(uint32_t pid, uint32_t tid) { return tid + pid * 61; }

static SLOW uint32_t ask_tid(void) { return (uint32_t)dt_raw_syscall(__NR_gettid, 0, 0, 0, 0, 0, 0); }

static SLOW uint32_t ask_cpu(const struct dt_agent_process *p)
{
	uint32_t cpu = 0;

	if (!p->no_calls)
		dt_raw_syscall(__NR_getcpu, (uint64_t)&cpu, 0, 0, 0, 0, 0);
	return cpu;
}

/* rseq is not registered in this thread, or there are more CPUs than dtrace knows. */
static SLOW uint32_t other_cpu(const struct dt_agent_process *p, const struct dt_agent *a)
{
	uint32_t cpu = ask_cpu(p);

	return cpu < a->ncpus ? cpu : 0;
}

/* The slot becomes ours if it still belongs to `was`. */
static bool take(struct dt_agent *a, struct dt_agent_thread *t, uint64_t was, uint64_t owner)
{
	if (!__atomic_compare_exchange_n(&t->owner, &was, owner, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
		return false;
	t->life = __atomic_add_fetch(&a->lives, 1, __ATOMIC_RELAXED);
	t->firing = t->light = 0;
	return true;
}

static bool is_dead(const struct dt_firing *f, uint64_t owner)
{
	return owner >> 32 == f->pid && !f->process->no_calls &&
	    dt_raw_syscall(__NR_tgkill, dt_agent_subject(f), (uint32_t)owner, 0, 0, 0, 0) == -ESRCH;
}

/* A slot that is ours, or free, or that of a thread of this process that has ended. */
static SLOW struct dt_agent_thread *search_slot(struct dt_firing *f, uint64_t owner)
{
	uint32_t first = first_slot(f->pid, (uint32_t)owner);

	for (int round = 0; round < 3; round++) {
		for (uint32_t i = 0; i < PROBES; i++) {
			struct dt_agent_thread *t = &f->agent->thread[(first + i) % DT_AGENT_THREADS];
			uint64_t was = __atomic_load_n(&t->owner, __ATOMIC_RELAXED);

			if (was == owner)
				return t;
			if ((round == 1 && was == 0) || (round == 2 && is_dead(f, was))) {
				if (take(f->agent, t, was, owner))
					return t;
			}
		}
	}
	__atomic_fetch_add(&f->agent->crowded, 1, __ATOMIC_RELAXED);
	return NULL;
}

/*
 * A firing of this thread is under way. Either we are in a signal handler that interrupted it, or a handler
 * left it by siglongjmp(): then its stack was used again, and most likely its words are overwritten. Where
 * they are not, it counts as under way: to miss a firing is harmless, to run on a stack that is in use is
 * not.
 */
static SLOW bool is_abandoned(const struct dt_firing *f, const struct dt_agent_thread *t, uint64_t old)
{
	struct {
		const struct dt_agent_site *site;
		const struct dt_agent_process *process;
		struct dt_agent *agent;
		struct dt_agent_thread *thread;
	} was;
	uint64_t at = (uint64_t)f;

	if (at < old + DT_FIRING_SIZE && old < at + DT_FIRING_SIZE)
		return true;		/* ours lies where it was */
	if (dt_agent_read(f, &was, old + offsetof(struct dt_firing, site), sizeof(was)))
		return false;
	return was.thread != t || was.agent != f->agent || was.process != f->process;
}

/* Clears a mark that was left behind; false: that firing is under way. */
static SLOW bool clear_abandoned(const struct dt_firing *f, struct dt_agent_thread *t, uint64_t *mark)
{
	uint64_t old = __atomic_load_n(mark, __ATOMIC_RELAXED);

	return old == 0 || (is_abandoned(f, t, old) && __atomic_compare_exchange_n(mark, &old, 0, false,
	    __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
}


static inline bool is_marked(const struct dt_agent_thread *t)
{
	return (__atomic_load_n(&t->firing, __ATOMIC_RELAXED) |
	    __atomic_load_n(&t->light, __ATOMIC_RELAXED)) != 0;
}

static SLOW bool miss(struct dt_agent_thread *t)
{
	__atomic_fetch_add(&t->missed, 1, __ATOMIC_RELAXED);
	return false;
}

/* Of a firing that finds a mark: false: it is nested, and counted. */
static SLOW bool clear_marks(const struct dt_firing *f)
{
	struct dt_agent_thread *t = f->thread;

	return (clear_abandoned(f, t, &t->firing) && clear_abandoned(f, t, &t->light)) || miss(t);
}

/*
 * Marks the slot and with it takes its stack; false: the firing is nested, and counted. Two threads that
 * share a thread pointer (clone() without CLONE_SETTLS) share a slot: one of them fires.
 */
static inline bool mark(struct dt_firing *f, struct dt_agent_thread *t)
{
	if (__builtin_expect(is_marked(t), 0) && !clear_marks(f))
		return false;
	if (__builtin_expect(!dt_raw_claim(&t->firing, (uint64_t)f, f->process->atomics), 0))
		return miss(t);
	return true;
}

/*
 * The same for a firing that needs no stack of the slot's. A signal handler that comes between the look and
 * the mark ends its own firings first. Two threads with one slot may both fire: their programs are on
 * stacks of their own, so all that suffers is the wait for the mark of the first. A compare-and-swap here
 * would take 10 ns, which is half of the whole firing.
 */
static inline bool mark_light(struct dt_firing *f, struct dt_agent_thread *t)
{
	if (__builtin_expect(is_marked(t), 0) && !clear_marks(f))
		return false;
	__atomic_store_n(&t->light, (uint64_t)f, __ATOMIC_RELAXED);
	return true;
}

static inline void unmark(struct dt_agent_thread *t, uint64_t *mark)
{
	__atomic_store_n(&t->n, t->n + 1, __ATOMIC_RELAXED);
	__atomic_store_n(mark, 0, __ATOMIC_RELEASE);
}

/* What programs that call nothing read, and what shows a firing that was abandoned. */
static inline void fill_in(struct dt_firing *f, const struct dt_agent_process *p, struct dt_agent *a,
    uint32_t tid, uint32_t cpu)
{
	f->process = p;
	f->agent = a;
	/* other threads of a process in a namespace keep the numbers they have there */
	f->ids = (uint64_t)p->pid << 32 | (tid == p->self ? p->pid : tid);
	f->cpu = cpu;
}

/* Asks the kernel for what the thread has no word of, and looks for its slot. NULL: none is free. */
static SLOW struct dt_agent_thread *search_thread(struct dt_firing *f, const struct dt_agent_process *p,
    struct dt_agent *a)
{
	uint32_t tid = p->tid_at ? dt_raw_thread_word(p->tid_at) : ask_tid();
	uint32_t cpu = p->cpu_at ? dt_raw_thread_word(p->cpu_at) : ask_cpu(p);

	fill_in(f, p, a, tid, cpu < a->ncpus ? cpu : other_cpu(p, a));
	f->thread = search_slot(f, (uint64_t)p->pid << 32 | tid);
	return f->thread;
}

/* The slot of this thread; NULL: none is free. All that is usual takes no call, so little has to be saved. */
static inline struct dt_agent_thread *find_thread(struct dt_firing *f, const struct dt_agent_process *p,
    struct dt_agent *a)
{
	int32_t tid_at = p->tid_at, cpu_at = p->cpu_at;
	struct dt_agent_thread *t;
	uint32_t tid, cpu;

	if (__builtin_expect(tid_at == 0 || cpu_at == 0, 0))
		return search_thread(f, p, a);
	tid = dt_raw_thread_word(tid_at);
	cpu = dt_raw_thread_word(cpu_at);
	t = &a->thread[first_slot(p->pid, tid) % DT_AGENT_THREADS];
	if (__builtin_expect(cpu >= a->ncpus || t->owner != ((uint64_t)p->pid << 32 | tid), 0))
		return search_thread(f, p, a);
	fill_in(f, p, a, tid, cpu);
	f->thread = t;
	return t;
}

/* Everything but `site` and what callers set. NULL: no slot is free. */
static inline struct dt_agent_thread *prepare(struct dt_firing *f, const struct dt_agent_process *p,
    struct dt_agent *a)
{
	struct dt_agent_thread *t = find_thread(f, p, a);

	f->code = p->code;
	f->window = NULL;
	f->signals = 0;
	f->slot = (uint32_t)(t - a->thread);
	return t;
}

static inline uint64_t stack_top(uint64_t stacks, uint32_t slot)
{
	return stacks + (uint64_t)(slot + 1) * DT_AGENT_STACK;
}

/*
 * What send_signal() asked for. The process may be a child by vfork() that shares our memory: it asks
 * again.
 */
static SLOW void send_signals(uint64_t set, const struct dt_agent_sample *s)
{
	uint64_t pid = s ? s->pid : (uint64_t)dt_raw_syscall(__NR_getpid, 0, 0, 0, 0, 0, 0);
	uint64_t tid = s ? s->tid : ask_tid();

	for (uint32_t sig = 1; set; sig++, set >>= 1) {
		if (set & 1)
			dt_raw_syscall(__NR_tgkill, pid, tid, sig, 0, 0, 0);
	}
}

/* Once more: dtrace clears it, makes all threads see that, and then waits for marks. */
static inline bool is_enabled(const struct dt_agent *a)
{
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	return __atomic_load_n(&a->enabled, __ATOMIC_RELAXED);
}

static inline void fire_light(struct dt_firing *f, const struct dt_agent_site *site,
    struct dt_agent_thread *t)
{
	if (!mark_light(f, t))
		return;
	for (const struct dt_agent_call *c = site->call; c->program && is_enabled(f->agent); c++) {
		f->cookie = c->cookie;
		((dt_agent_f *)c->program)((uint64_t)f, 0, 0, 0, 0, f);
	}
	unmark(t, &t->light);
}

void dt_agent_fire_bare(struct dt_firing *f, const struct dt_agent_site *site)
{
	const struct dt_agent_process *p = (const struct dt_agent_process *)site->process;
	struct dt_agent *a = (struct dt_agent *)p->data;
	struct dt_agent_thread *t;

	if (!__atomic_load_n(&p->enabled, __ATOMIC_RELAXED) ||
	    !__atomic_load_n(&a->enabled, __ATOMIC_RELAXED))
		return;
	t = find_thread(f, p, a);
	if (t)
		fire_light(f, site, t);
}

/* No program runs any more: handlers of signals that come now may fire. */
static SLOW void after(struct dt_firing *f, const struct dt_agent_site *site)
{
	if (f->signals)
		send_signals(f->signals, NULL);
	if (site->asks)
		dt_agent_ask(f, site);
}

void dt_agent_fire(struct dt_firing *f, const struct dt_agent_site *site)
{
	const struct dt_agent_process *p = (const struct dt_agent_process *)site->process;
	struct dt_agent *a = (struct dt_agent *)p->data;
	struct dt_agent_thread *t;
	uint64_t stacks = p->stacks;

	if (!__atomic_load_n(&p->enabled, __ATOMIC_RELAXED) ||
	    !__atomic_load_n(&a->enabled, __ATOMIC_RELAXED))
		return;
	f->site = site;
	t = prepare(f, p, a);
	if (!t)
		return;
	if (site->light) {
		fire_light(f, site, t);
		return;
	}
	if (!mark(f, t))
		return;
	if (is_enabled(a))
		dt_agent_calls(f, site->call, stack_top(stacks, f->slot));
	unmark(t, &t->firing);
	if (__builtin_expect((f->signals | site->asks) != 0, 0))
		after(f, site);
}

/*
 * The firing is about a thread of another process; the slot of the caller stays, as the programs run in the
 * caller. Without a slot of its own the thread cannot have self-> variables: false.
 */
static bool be_sampled(struct dt_firing *f, struct dt_agent_sample *s)
{
	struct dt_agent_thread *t;

	f->ids = (uint64_t)s->pid << 32 | s->tid;
	f->cpu = s->cpu < f->agent->ncpus ? s->cpu : 0;
	t = search_slot(f, (uint64_t)s->pid << 32 | s->tid);
	s->slot = t ? (uint32_t)(t - f->agent->thread) : 0;
	return t != NULL;
}

uint64_t dt_agent_run(struct dt_firing *f, uint64_t program)
{
	struct dt_agent_thread *t = prepare(f, f->process, f->agent);
	const struct dt_agent_call calls[2] = { { program, f->cookie }, { 0, 0 } };
	uint64_t ret, stacks = f->process->stacks;

	if (!t || (f->process->sample && !be_sampled(f, f->process->sample)) || !mark(f, t))
		return UINT64_MAX;
	ret = stacks ? dt_agent_calls(f, calls, stack_top(stacks, f->slot)) :
	    ((dt_agent_f *)program)((uint64_t)f, 0, 0, 0, 0, f);
	unmark(t, &t->firing);
	if (f->signals)
		send_signals(f->signals, f->process->sample);
	return ret;
}
