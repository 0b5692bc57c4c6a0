/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where a clause's arguments come from: words of the program's context, registers of the kernel or of the
 * process, the slot. And where it finds which probe fired, when enablings share its code.
 */
#include "bpf/build.h"
#include "base/compat.h"
#include "dif/builtin.h"

#define MAX_ERRNO 4095

/*
 * r0 = the word at pt_regs + off, as the process had it when it came into the kernel; reading it does not
 * fail. Through a pointer whose type the verifier knows it is a plain load; older kernels need a copy by a
 * helper, from the address in the first word of a tracepoint's context.
 */
static void read_regs(struct dt_emit *a, const struct dt_features *feat, int off, int size)
{
	if (feat->get_current_task_btf) {
		dt_call(a, BPF_FUNC_get_current_task_btf);
		dt_mov(a, R1, R0);
		dt_call(a, BPF_FUNC_task_pt_regs);
		dt_ldx(a, size == 4 ? B4 : B8, R0, R0, off);
		return;
	}
	dt_ldx(a, B8, R3, R7, 0);
	if (off)
		dt_alui(a, BPF_ADD, R3, off);
	dt_fpaddr(a, R1, F_T0);
	dt_imm(a, R2, (uint64_t)size);
	dt_call(a, BPF_FUNC_probe_read_kernel);
	dt_ldx(a, size == 4 ? B4 : B8, R0, FP, F_T0);
}

/* The context has the registers of a process around the instruction of a system call. */
static bool in_process(enum dt_plan_ctx ctx) { return ctx == DT_CTX_SYS_UENTER || ctx == DT_CTX_SYS_UEXIT; }

void dt_syscall_number(struct dt_emit *a, const struct dt_plan_opts *opts, enum dt_plan_ctx ctx)
{
	if (ctx == DT_CTX_SYS_ENTER)
		dt_ldx(a, B8, R0, R7, 8);
	else if (in_process(ctx))
		dt_ldx(a, opts->machine->syscall.number_size == 4 ? B4 : B8, R0, R7,
		    opts->machine->syscall.number);
	else
		read_regs(a, opts->feat, opts->machine->syscall.number, opts->machine->syscall.number_size);
}

/*
 * r0 = not 0 in a system call of a 32-bit program (struct dt_machine says by what). A plain load: this is
 * paid by every system call.
 */
static void in_compat(struct dt_emit *a, const struct dt_plan_opts *opts)
{
	const struct dt_machine *m = opts->machine;

	if (m->syscall.compat_bit == 0) {
		dt_imm(a, R0, 0);
		return;
	}
	if (opts->feat->get_current_task_btf) {
		dt_call(a, BPF_FUNC_get_current_task_btf);
		dt_ldx(a, m->syscall.compat_size == 4 ? B4 : B8, R0, R0, m->syscall.compat_at);
	} else {
		dt_call(a, BPF_FUNC_get_current_task);
		dt_mov(a, R3, R0);
		dt_alui(a, BPF_ADD, R3, m->syscall.compat_at);
		dt_fpaddr(a, R1, F_T0);
		dt_imm(a, R2, 4);
		dt_call(a, BPF_FUNC_probe_read_kernel);
		dt_ldx(a, B4, R0, FP, F_T0);
	}
	dt_alui(a, BPF_AND, R0, (int32_t)m->syscall.compat_bit);
}

void dt_compat(struct dt_lower *l) { in_compat(l->a, l->b->opts); }

/* A number that no call has becomes DT_COMPAT_NONE, which no call of this machine has either. r9 changes. */
void dt_syscall_native(struct dt_build *b, struct dt_emit *a, enum dt_plan_ctx ctx)
{
	uint32_t native, table;

	if (b->opts->machine->syscall.compat_bit == 0 || in_process(ctx))
		return;
	native = dt_label(a);
	table = dt_pool_bytes(b, dt_compat_syscalls, dt_ncompat_syscalls * sizeof(dt_compat_syscalls[0]));
	dt_mov(a, R9, R0);
	in_compat(a, b->opts);
	dt_mov(a, R1, R0);
	dt_mov(a, R0, R9);
	dt_jmpi(a, BPF_JEQ, R1, 0, native);
	dt_mov(a, R1, R9);
	dt_imm(a, R0, DT_COMPAT_NONE);
	dt_jmpi(a, BPF_JGE, R1, (int32_t)dt_ncompat_syscalls, native);
	dt_alui(a, BPF_MUL, R1, sizeof(dt_compat_syscalls[0]));
	dt_mapval(a, R2, dt_constants(b), table);
	dt_alu(a, BPF_ADD, R2, R1);
	dt_ldx(a, B2, R0, R2, 0);
	dt_put(a, native);
}

/* r0 = argument i of a system call. A 32-bit program may have it in the low half of another register. */
static void sys_argument(struct dt_lower *l, unsigned i)
{
	const struct dt_plan_opts *opts = l->b->opts;
	const struct dt_machine *m = opts->machine;
	struct dt_emit *a = l->a;
	uint32_t compat = dt_label(a), done = dt_label(a);

	if (!m->syscall.compat_arg || in_process(l->ctx)) {
		if (in_process(l->ctx))
			dt_ldx(a, B8, R0, R7, m->syscall.arg[i]);
		else
			read_regs(a, opts->feat, m->syscall.arg[i], 8);
		dt_put(a, compat);
		dt_put(a, done);
		return;
	}
	in_compat(a, opts);
	dt_jmpi(a, BPF_JNE, R0, 0, compat);
	read_regs(a, opts->feat, m->syscall.arg[i], 8);
	dt_ja(a, done);
	dt_put(a, compat);
	read_regs(a, opts->feat, m->syscall.compat_arg[i], 4);
	dt_put(a, done);
}

/* dst = what the system call returned, as the kernel has it */
static void raw_result(struct dt_lower *l, int dst)
{
	dt_ldx(l->a, B8, dst, R7,
	    in_process(l->ctx) ? l->b->opts->machine->regs.result : 8 * (int)l->value);
}

/* r0 = what the system call returned; a failure is -1 unless rawsyscall */
static void sys_result(struct dt_lower *l)
{
	uint32_t good = dt_label(l->a);

	raw_result(l, R0);
	if (l->b->opts->rawsyscall) {
		dt_put(l->a, good);
		return;
	}
	dt_jmpi(l->a, BPF_JLT, R0, -MAX_ERRNO, good);
	dt_imm(l->a, R0, UINT64_MAX);
	dt_put(l->a, good);
}

/* profile: arg0 the kernel's program counter, arg1 the user's; the other is 0 */
static void perf_arg(struct dt_lower *l, unsigned i)
{
	struct dt_emit *a = l->a;
	const struct dt_machine *m = l->b->opts->machine;
	bool kernel_is_zero = !m->mode.zero_is_user;
	uint32_t done = dt_label(a);

	if (i > 1) {
		dt_imm(a, R0, 0);
		dt_put(a, done);
		return;
	}
	dt_ldx(a, B8, R1, R7, m->mode.reg);
	dt_alui(a, BPF_AND, R1, m->mode.mask);
	dt_imm(a, R0, 0);
	dt_jmpi(a, (i == 0) == kernel_is_zero ? BPF_JNE : BPF_JEQ, R1, 0, done);
	dt_ldx(a, B8, R0, R7, m->regs.pc);
	dt_put(a, done);
}

/* Argument n of those that a function has on the stack, at its entry; 0 when it cannot be read. */
static void stack_arg(struct dt_lower *l, unsigned n, bool user)
{
	struct dt_emit *a = l->a;
	const struct dt_machine *m = l->b->opts->machine;

	dt_ldx(a, B8, R3, R7, m->regs.sp);
	dt_alui(a, BPF_ADD, R3, 8 * (int32_t)n + m->regs.stack_args);
	dt_sti(a, B8, FP, F_T0, 0);
	dt_fpaddr(a, R1, F_T0);
	dt_imm(a, R2, 8);
	dt_help(l, user ? BPF_FUNC_probe_read_user : BPF_FUNC_probe_read_kernel);
	dt_ldx(a, B8, R0, FP, F_T0);
}

static void call_arg(struct dt_lower *l, unsigned i, bool user)
{
	const struct dt_machine *m = l->b->opts->machine;

	if (i < m->regs.nargs)
		dt_ldx(l->a, B8, R0, R7, m->regs.arg[i]);
	else
		stack_arg(l, i - m->regs.nargs, user);
}

/* r0 = the offset of the return in its function: in the entry, when enablings share the code. */
static void site_of(struct dt_lower *l)
{
	if (!l->shared) {
		dt_imm(l->a, R0, l->en->site);
		return;
	}
	dt_ldx(l->a, B8, R0, FP, F_ENTRY);
	dt_ldx(l->a, B4, R0, R0, (int)offsetof(struct dt_entry, site));
}

/* At a return: arg0 its offset, where that is known; arg1 the value; at fexit arg2 … the arguments. */
static void return_arg(struct dt_lower *l, unsigned i)
{
	bool fexit = l->ctx == DT_CTX_FEXIT;

	if (i == 0 && l->ctx == DT_CTX_URETSITE)
		site_of(l);
	else if (i == 1 && fexit)
		dt_ldx(l->a, B8, R0, R7, 8 * (int)l->nargs);
	else if (i == 1)
		dt_ldx(l->a, B8, R0, R7, l->b->opts->machine->regs.result);
	else if (i > 1 && fexit && i - 2 < l->nargs)
		dt_ldx(l->a, B8, R0, R7, 8 * (int)(i - 2));
	else
		dt_imm(l->a, R0, 0);
}

/* The order of the tests counts: ERROR and derived probes have arguments of their own, whatever the hook. */
void dt_arg(struct dt_lower *l, unsigned i)
{
	l->cached = 0;
	if (l->error || (l->derived && !l->raw_args)) {
		dt_ldx(l->a, B8, R0, dt_slot_reg(l), (int)l->args_off + 8 * (int)i);
		return;
	}
	if (i == 9 && l->en->each) {
		dt_ldx(l->a, B8, R0, dt_slot_reg(l), S_ITEM);
		return;
	}
	if (i >= l->nargs && l->ctx != DT_CTX_FEXIT) {
		dt_imm(l->a, R0, 0);
		return;
	}
	switch (l->ctx) {
	case DT_CTX_KPROBE: call_arg(l, i, false); break;
	case DT_CTX_UPROBE: call_arg(l, i, true); break;
	case DT_CTX_FEXIT: case DT_CTX_KRETPROBE: case DT_CTX_URETPROBE: case DT_CTX_URETSITE:
		return_arg(l, i);
		break;
	case DT_CTX_RAWTP: case DT_CTX_RUN: case DT_CTX_FENTRY: dt_ldx(l->a, B8, R0, R7, 8 * (int)i); break;
	case DT_CTX_SYS_ENTER: case DT_CTX_SYS_FENTRY: case DT_CTX_SYS_UENTER:
		if (i < 6)
			sys_argument(l, i);
		else
			dt_imm(l->a, R0, 0);
		break;
	case DT_CTX_SYS_EXIT: case DT_CTX_SYS_FEXIT: case DT_CTX_SYS_UEXIT:
		if (i < 2)
			sys_result(l);
		else
			dt_imm(l->a, R0, 0);
		break;
	case DT_CTX_PERF: perf_arg(l, i); break;
	case DT_CTX_TASK: dt_imm(l->a, R0, 0); break;
	}
	/*
	 * at trampolines the verifier knows which arguments are pointers, and allows no arithmetic with them
	 */
	if (l->ctx == DT_CTX_FENTRY || l->ctx == DT_CTX_FEXIT)
		dt_scalar(l->a, R0);
}

void dt_probe_id(struct dt_lower *l, int dst)
{
	if (!l->shared) {
		dt_imm(l->a, dst, l->en->probe_id);
		return;
	}
	dt_ldx(l->a, B8, dst, FP, F_ENTRY);
	dt_ldx(l->a, B4, dst, dst, (int)offsetof(struct dt_entry, probe_id));
}

void dt_epid(struct dt_lower *l, int dst)
{
	if (!l->shared) {
		dt_imm(l->a, dst, l->en->epid);
		return;
	}
	dt_ldx(l->a, B8, dst, FP, F_ENTRY);
	dt_ldx(l->a, B4, dst, dst, (int)offsetof(struct dt_entry, epid));
}

bool dt_sys_value(struct dt_lower *l, int dst)
{
	if ((l->ctx != DT_CTX_SYS_EXIT && l->ctx != DT_CTX_SYS_FEXIT && l->ctx != DT_CTX_SYS_UEXIT) ||
	    l->error)
		return false;
	raw_result(l, dst);
	return true;
}
