/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Variables made from the stacks of the kernel and of the process. The stack is taken into the slot; a length
 * below 0 means that there is none.
 */
#include "builtin/row.h"

/* How many frames there are: the helper returns bytes. */
static void lower_depth(struct dt_lower *l, bool user)
{
	uint32_t done = dt_label(dt_code(l));

	dt_stack_slot(l, user, dt_stack_most(l, user));
	dt_jmpi(dt_code(l), BPF_JSGE, R0, 0, done);
	dt_imm(dt_code(l), R0, 0);
	dt_put(dt_code(l), done);
	dt_alui(dt_code(l), BPF_RSH, R0, 3);
}

/* The address of frame n, 0 if the stack is shorter. */
static void lower_frame(struct dt_lower *l, bool user, uint32_t n)
{
	struct dt_emit *a = dt_code(l);
	uint32_t done = dt_label(a), none = dt_label(a), at = dt_stack_slot(l, user, n + 1);

	dt_jmpi(a, BPF_JSLT, R0, 8 * (int32_t)(n + 1), none);
	dt_mov(a, R1, R6);
	dt_alui(a, BPF_ADD, R1, (int32_t)(at + 8 * n));
	dt_ldx(a, B8, R0, R1, 0);
	dt_ja(a, done);
	dt_put(a, none);
	dt_imm(a, R0, 0);
	dt_put(a, done);
}

GETTER(stackdepth, CONTEXT(ip)->nstack)

static void lower_stackdepth(struct dt_lower *l) { lower_depth(l, false); }

const struct dt_builtin dt_var_stackdepth = {
	DT_SCALAR(stackdepth, "uint32_t", V(1, 0), STABLE),
	.get = get_stackdepth, .lower = lower_stackdepth, .needs = DT_NEED_KSTACK, .scratch = DT_SCRATCH_NONE,
	.where = DT_IN_KERNEL,
	.doc = "How many frames the kernel stack has.",
};

GETTER(caller, CONTEXT(ip)->caller)

/* Stacks of functions begin with the caller, all others with the place that fires. */
static void lower_caller(struct dt_lower *l) { lower_frame(l, false, dt_stack_of_function(l) ? 0 : 1); }

const struct dt_builtin dt_var_caller = {
	DT_SCALAR(caller, "uintptr_t", V(1, 0), STABLE),
	.get = get_caller, .lower = lower_caller, .needs = DT_NEED_KSTACK, .scratch = DT_SCRATCH_NONE,
	.where = DT_IN_KERNEL,
	.doc = "The address in the kernel that the current function was called from.",
};

GETTER(ustackdepth, CONTEXT(ip)->nustack)

static void lower_ustackdepth(struct dt_lower *l) { lower_depth(l, true); }

const struct dt_builtin dt_var_ustackdepth = {
	DT_SCALAR(ustackdepth, "uint32_t", V(1, 2), STABLE),
	.get = get_ustackdepth, .lower = lower_ustackdepth, .needs = DT_NEED_USTACK,
	.scratch = DT_SCRATCH_NONE,
	.where = DT_IN_KERNEL | DT_IN_PROCESS,
	.doc = "How many frames the stack of the process has.",
};

GETTER(ucaller, CONTEXT(ip)->ucaller)

/* Frame 0 is where the process is, frame 1 who called that. */
static void lower_ucaller(struct dt_lower *l) { lower_frame(l, true, 1); }

const struct dt_builtin dt_var_ucaller = {
	DT_SCALAR(ucaller, "uint64_t", V(1, 2), STABLE),
	.get = get_ucaller, .lower = lower_ucaller, .needs = DT_NEED_USTACK, .scratch = DT_SCRATCH_NONE,
	.where = DT_IN_KERNEL | DT_IN_PROCESS,
	.doc = "The address in the process that the current function was called from.",
};
