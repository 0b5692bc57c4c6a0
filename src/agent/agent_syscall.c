/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What comes first at the instruction of a system call, before it and after it: the number of the call goes
 * where struct pt_regs has it, where programs look for it. A number that no call has lets none of them
 * fire: after a call that was begun before the trace, and in a child of vfork(), which runs on the memory
 * and the stack of a thread of ours and is another process.
 */
#include "agent/agent_impl.h"
#include "agent/helpers.h"

#include <linux/sched.h>

#define IGNORE5 (void)a, (void)b, (void)c, (void)d, (void)e
#define HELPER(name) \
	uint64_t name(uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e, struct dt_firing *f)
#define NO_CALL UINT64_MAX

enum { ARGS_MIN = 64, ARGS_MAX = 256 };	/* bytes of struct clone_args: of its first version; of any */

/* Is this the process that is traced, and not a child that has its memory? */
static bool is_own(const struct dt_firing *f)
{
	return f->process->no_calls ||
	    (uint32_t)dt_raw_syscall(__NR_getpid, 0, 0, 0, 0, 0, 0) == f->process->self;
}

/* NULL: another process runs as this thread. A thread that is new here may be one. */
static struct dt_agent_pending *pending_of(struct dt_firing *f)
{
	struct dt_agent_pending *p = &f->agent->pending[f->slot];

	if (p->life != f->thread->life) {
		dt_agent_zero(p, sizeof(*p));
		p->life = f->thread->life;
		f->thread->lent = 1;
	}
	if (f->thread->lent && !is_own(f))
		return NULL;
	f->thread->lent = 0;
	return p;
}

/* One with the same stack pointer never returned: it was left by a jump. */
static void begin(struct dt_agent_pending *p, uint64_t sp, uint64_t number)
{
	uint32_t at = DT_AGENT_CALLS;

	for (uint32_t i = DT_AGENT_CALLS; i-- > 0;) {
		if (p->v[i].sp == sp || (p->v[i].sp == 0 && (at == DT_AGENT_CALLS || p->v[at].sp != sp)))
			at = i;
	}
	if (at == DT_AGENT_CALLS)
		at = (uint32_t)(p->next++ % DT_AGENT_CALLS);
	p->v[at].sp = sp;
	p->v[at].number = number + 1;
}

static uint64_t end(struct dt_agent_pending *p, uint64_t sp)
{
	for (uint32_t i = 0; i < DT_AGENT_CALLS; i++) {
		if (p->v[i].sp == sp) {
			p->v[i].sp = 0;
			return p->v[i].number - 1;
		}
	}
	return NO_CALL;
}

/* Will a child run as this thread, which waits meanwhile? */
static bool lends(const struct dt_firing *f, uint64_t number)
{
	uint64_t flags = f->regs[DT_RAW_ARG0];

#ifdef __NR_vfork
	if (number == __NR_vfork)
		return true;
#endif
	if (number == __NR_clone3 && dt_agent_read(f, &flags, f->regs[DT_RAW_ARG0], sizeof(flags)))
		return false;
	return (number == __NR_clone || number == __NR_clone3) &&
	    (flags & (CLONE_VM | CLONE_VFORK | CLONE_THREAD)) == (CLONE_VM | CLONE_VFORK);
}

/*
 * A new thread begins with the return of a call that another one made: its registers are all that is known
 * of it.
 */
static uint64_t call_of_new_thread(const struct dt_firing *f)
{
	uint64_t number = f->regs[DT_RAW_CALL], second = f->regs[DT_RAW_ARG1];

	if (f->regs[DT_RAW_VALUE])
		return NO_CALL;
	if (DT_RAW_CALL_STAYS)
		return number == __NR_clone || number == __NR_clone3 ? number : NO_CALL;
	if (second == f->regs[DT_RAW_SP])
		return __NR_clone;
	return second >= ARGS_MIN && second <= ARGS_MAX && !(second & 7) ? __NR_clone3 : NO_CALL;
}

static bool is_new(const struct dt_agent_pending *p)
{
	for (uint32_t i = 0; i < DT_AGENT_CALLS; i++) {
		if (p->v[i].number)
			return false;
	}
	return true;
}

HELPER(dt_agent_sys_enter)
{
	struct dt_agent_pending *p = pending_of(f);
	uint64_t number = f->regs[DT_RAW_CALL];

	IGNORE5;
	f->regs[DT_RAW_CALLED] = p ? number : NO_CALL;
	if (p) {
		begin(p, f->regs[DT_RAW_SP], number);
		f->thread->lent = lends(f, number);
	}
	return 0;
}

HELPER(dt_agent_sys_exit)
{
	struct dt_agent_pending *p = pending_of(f);

	IGNORE5;
	f->regs[DT_RAW_CALLED] = !p ? NO_CALL : is_new(p) ? call_of_new_thread(f) :
	    end(p, f->regs[DT_RAW_SP]);
	return 0;
}
