/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stacks as the kernel walks them, without the frames that are ours. User stacks that are walked by tables
 * are in ustack.c. bpf_get_stack() leaves r0 = the bytes it wrote, or a negative number; what it did not
 * write it has zeroed.
 */
#include "bpf/build.h"
#include "bpf/context.h"
#include "record/unwind.h"
#include "dif/action.h"
#include "dif/builtin.h"

enum { DEPTH_MAX = 127 };		/* bpf_get_stack() gives no more frames, as kernels are set up */

/*
 * How many frames to leave out. The kernel stack at a raw tracepoint begins with ourselves: the program,
 * bpf_trace_run<n>() and maybe the function that calls it. At a trampoline it begins with the program, the
 * trampoline and the function. How many frames each of these is depends on the machine. A clause in a
 * subprogram is one deeper. At a perf event the stack begins where the event interrupted, at a kprobe with
 * the function, at a kretprobe with its caller. The stack of a function begins with its caller, as it always
 * did in DTrace.
 */
static uint32_t own_frames(const struct dt_lower *l)
{
	const struct dt_machine *m = l->b->opts->machine;
	uint32_t program = m->frames.program + l->slot;

	switch (dt_ctx(l->ctx)->frames) {
	case DT_FRAMES_NONE: return 0;
	case DT_FRAMES_KPROBE: return l->inside ? 0 : m->frames.kprobe;
	case DT_FRAMES_PROGRAM: return program;
	case DT_FRAMES_TRACEPOINT: return program + m->frames.tracepoint;
	case DT_FRAMES_TRAMPOLINE: return program + 2;
	}
	return 0;
}

/*
 * On a machine with a link register, the caller of a function that has just been entered is in that register
 * alone, and the kernel's walk misses it (6.12). It takes the place of the function itself, which
 * own_frames() has left in. R0 is what bpf_get_stack() returned.
 */
static void put_caller_first(struct dt_lower *l, int base, int off, bool user)
{
	uint32_t none = dt_label(l->a);
	int link = l->b->opts->machine->regs.link;

	if (l->ctx == DT_CTX_KPROBE && !user && !l->inside && link != DT_MACHINE_NOWHERE) {
		dt_jmpi(l->a, BPF_JSLE, R0, 0, none);
		dt_ldx(l->a, B8, R1, R7, link);
		dt_mov(l->a, R2, base);
		dt_alui(l->a, BPF_ADD, R2, off);
		dt_stx(l->a, B8, R2, 0, R1);
	}
	dt_put(l->a, none);
}

/*
 * Of a thread that is not the current one the kernel walks its own stack alone; that of a thread which has
 * begun to run meanwhile is empty.
 */
static void get_stack(struct dt_lower *l, int base, int off, uint32_t size, uint64_t flags)
{
	bool other = l->a->task != NULL;

	if (other && flags == BPF_F_USER_STACK)
		REFUSE(l, "at wall-n user stacks are walked by tables alone: -x unwind=fp asks the kernel, "
		    "which walks that of the thread that runs");
	if (other)
		dt_help(l, BPF_FUNC_get_current_task_btf);
	dt_mov(l->a, R1, other ? R0 : R7);
	dt_mov(l->a, R2, base);
	dt_alui(l->a, BPF_ADD, R2, off);
	dt_imm(l->a, R3, size);
	dt_imm(l->a, R4, flags);
	dt_help(l, other ? BPF_FUNC_get_task_stack : BPF_FUNC_get_stack);
}

/*
 * Between a tracepoint and its programs there may be more functions, __traceiter_NAME and, of those that may
 * fault (6.13), __bpf_trace_NAME. Whether they have a frame depends on the machine, on how the compiler made
 * their last call, and on who else uses the tracepoint. So the first frame is compared with them, and the
 * stack taken again without it, as often as there are such functions.
 */
static void skip_between(struct dt_lower *l, int base, int off, uint32_t size, uint32_t fine)
{
	struct dt_emit *a = l->a;

	for (uint32_t more = 1; more <= DT_BETWEEN; more++) {
		uint32_t ours = dt_label(a);

		dt_jmpi(a, BPF_JSLE, R0, 0, fine);
		dt_mov(a, R1, base);
		dt_alui(a, BPF_ADD, R1, off);
		dt_ldx(a, B8, R1, R1, 0);
		for (uint32_t i = 0; i < DT_BETWEEN; i++) {
			if (l->between[i].at == 0)
				continue;
			dt_mov(a, R3, R1);
			dt_imm(a, R2, l->between[i].at);
			dt_alu(a, BPF_SUB, R3, R2);
			dt_jmpi(a, BPF_JLT, R3, (int32_t)l->between[i].len, ours);
		}
		dt_ja(a, fine);
		dt_put(a, ours);
		get_stack(l, base, off, size, own_frames(l) + more);
	}
}

void dt_stack_take(struct dt_lower *l, int base, int off, uint32_t size, bool user)
{
	uint32_t fine = dt_label(l->a);
	bool between = false;

	for (uint32_t i = 0; l->between != NULL && i < DT_BETWEEN; i++)
		between |= l->between[i].at != 0;
	get_stack(l, base, off, size, user ? BPF_F_USER_STACK : own_frames(l));
	if (between && !user && size >= 8)
		skip_between(l, base, off, size, fine);
	dt_put(l->a, fine);
	put_caller_first(l, base, off, user);
}

/* Tables go deeper than the kernel does; frames without room in the slot are counted. */
uint32_t dt_stack_most(const struct dt_lower *l, bool user)
{
	return user && dt_ustack_tables(l->b) ? DT_UNWIND_FRAMES_MOST - 1 : DEPTH_MAX;
}

/*
 * The stack has a place of its own in the slot: the key of an aggregation may be half made at slot_key while
 * one of its fields is computed.
 */
uint32_t dt_stack_slot(struct dt_lower *l, bool user, uint32_t frames)
{
	if (user && dt_ustack_tables(l->b)) {
		dt_ustack_take(l, frames, false);
		return l->b->slot_frames;
	}
	if (8 * frames > l->b->slot_key - l->b->slot_stack)
		REFUSE(l, "the slot has no room for a stack: the row of this variable does not ask for it");
	dt_stack_take(l, dt_slot_reg(l), (int)l->b->slot_stack, 8 * frames, user);
	return l->b->slot_stack;
}

bool dt_stack_of_function(const struct dt_lower *l)
{
	return dt_ctx(l->ctx)->function && !(l->ctx == DT_CTX_KPROBE && l->inside);
}

/* ---- what is wanted ---- */

static bool clause_takes(const struct dt_ecb *e, unsigned facts, unsigned needs)
{
	for (uint32_t i = 0; i < e->nacts; i++) {
		if (dt_act_is(&e->acts[i], facts) || dt_difo_needs(e->acts[i].difo, needs))
			return true;
	}
	return dt_difo_needs(e->pred, needs);
}

static bool any_takes(const struct dt_enabling *en, uint32_t n, unsigned facts, unsigned needs)
{
	for (uint32_t i = 0; i < n; i++) {
		for (int k = 0; k < 10; k++) {
			if (dt_difo_needs(en[i].args[k], needs))
				return true;
		}
		if ((i == 0 || en[i].ecb != en[i - 1].ecb) && clause_takes(en[i].ecb, facts, needs))
			return true;
		if (dt_difo_needs(en[i].when, needs) || dt_difo_needs(en[i].each, needs))
			return true;
	}
	return false;
}

bool dt_stack_wanted(const struct dt_build *b, const struct dt_plan_hook *hooks, uint32_t n, unsigned facts,
    unsigned needs)
{
	for (uint32_t h = 0; h < n; h++) {
		if (any_takes(hooks[h].en, hooks[h].nen, facts, needs))
			return true;
	}
	return any_takes(b->opts->errors, b->opts->nerrors, facts, needs);
}

uint32_t dt_stack_room(const struct dt_build *b, const struct dt_plan_hook *hooks, uint32_t n)
{
	unsigned needs = DT_NEED_KSTACK | (dt_ustack_tables(b) ? 0 : DT_NEED_USTACK);

	return dt_stack_wanted(b, hooks, n, 0, needs) ? 8 * DEPTH_MAX : 0;
}
