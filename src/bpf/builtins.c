/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Built-in variables: a DIF variable id in, its value in a DIF register out, from the program's context, a helper, or a
 * member of the current task found by its offset. Those without a value here are refused by name.
 */
#include "bpf/build.h"
#include "base/compat.h"
#include "dif/builtin.h"

#include <errno.h>

#define MAX_ERRNO 4095

/* ---- arguments ---- */

/*
 * r0 = the word at pt_regs + off; the registers are the kernel's own, reading them does not fail. Through a pointer whose
 * type the verifier knows it is a plain load and not a copy by a helper.
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

void dt_syscall_number(struct dt_emit *a, const struct dt_image_opts *opts, enum dt_image_ctx ctx)
{
	if (ctx == DT_CTX_SYS_ENTER)
		dt_ldx(a, B8, R0, R7, 8);
	else
		read_regs(a, opts->feat, opts->machine->syscall.number, opts->machine->syscall.number_size);
}

/* r0 = not 0 in a system call of a 32-bit program (struct dt_machine says by what). A plain load: this is paid by every system call. */
static void in_compat(struct dt_emit *a, const struct dt_image_opts *opts)
{
	const struct dt_machine *m = opts->machine;

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

/* Takes r9; a number that is nobody's comes out as DT_COMPAT_NONE, which is none here either. */
void dt_syscall_native(struct dt_build *b, struct dt_emit *a)
{
	uint32_t native = dt_label(a);
	uint32_t table = dt_pool_bytes(b, dt_compat_syscalls, dt_ncompat_syscalls * sizeof(dt_compat_syscalls[0]));

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
	const struct dt_image_opts *opts = l->b->opts;
	const struct dt_machine *m = opts->machine;
	struct dt_emit *a = l->a;
	uint32_t compat = dt_label(a), done = dt_label(a);

	if (!m->syscall.compat_arg) {
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

/* r0 = what the system call returned; a failure is -1 unless rawsyscall */
static void sys_result(struct dt_lower *l)
{
	uint32_t good = dt_label(l->a);

	dt_ldx(l->a, B8, R0, R7, 8 * (int)l->value);
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

/* Arguments of a function as registers have them when it is called; more are on the stack. */
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
	dt_ldx(a, B8, R0, FP, F_T0);	/* 0 when it cannot be read */
}

static void call_arg(struct dt_lower *l, unsigned i, bool user)
{
	const struct dt_machine *m = l->b->opts->machine;

	if (i < m->regs.nargs)
		dt_ldx(l->a, B8, R0, R7, m->regs.arg[i]);
	else
		stack_arg(l, i - m->regs.nargs, user);
}

/* What differs between enablings that share the code is in their entry. */
static void site_of(struct dt_lower *l)
{
	if (!l->shared) {
		dt_imm(l->a, R0, l->en->site);
		return;
	}
	dt_ldx(l->a, B8, R0, FP, F_ENTRY);
	dt_ldx(l->a, B4, R0, R0, (int)offsetof(struct dt_entry, site));
}

/* arg0 the offset of the return, where it is known; arg1 the value; arg2 … the arguments, of fexit */
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
	case DT_CTX_SYS_ENTER: case DT_CTX_SYS_FENTRY:
		if (i < 6)
			sys_argument(l, i);
		else
			dt_imm(l->a, R0, 0);
		break;
	case DT_CTX_SYS_EXIT: case DT_CTX_SYS_FEXIT:
		if (i < 2)
			sys_result(l);
		else
			dt_imm(l->a, R0, 0);
		break;
	case DT_CTX_PERF: perf_arg(l, i); break;
	}
	/* of trampolines the verifier knows which are pointers, and lets nobody count with those */
	if (l->ctx == DT_CTX_FENTRY || l->ctx == DT_CTX_FEXIT)
		dt_scalar(l->a, R0);
}

/* ---- who runs what ---- */

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

/* One timestamp a clause, taken when first asked for. */
void dt_time(struct dt_lower *l)
{
	uint32_t have = dt_label(l->a);

	if (l->timed) {			/* code before this may have */
		dt_ldx(l->a, B8, R0, FP, F_TIME);
		dt_jmpi(l->a, BPF_JNE, R0, 0, have);
	}
	l->timed = true;
	dt_call(l->a, BPF_FUNC_ktime_get_ns);
	dt_stx(l->a, B8, FP, F_TIME, R0);
	dt_put(l->a, have);
	l->cached = 0;
}

static void bad_offset(struct dt_lower *l, uint32_t off, const char *what)
{
	if (off == DT_KOFF_NONE)
		REFUSE(l, "this kernel's type data does not show where %s is kept", what);
}

/* r0 = the word (4 or 8 bytes) at r0 + off */
void dt_follow(struct dt_lower *l, uint32_t off, int size, const char *what)
{
	struct dt_emit *a = l->a;

	bad_offset(l, off, what);
	dt_mov(a, R3, R0);
	if (off)
		dt_alui(a, BPF_ADD, R3, (int32_t)off);
	dt_sti(a, B8, FP, F_T0, 0);
	dt_fpaddr(a, R1, F_T0);
	dt_imm(a, R2, (uint64_t)size);
	dt_help(l, BPF_FUNC_probe_read_kernel);
	dt_ldx(a, size == 4 ? B4 : B8, R0, FP, F_T0);
}

static void sign32(struct dt_lower *l)
{
	dt_alui(l->a, BPF_LSH, R0, 32);
	dt_alui(l->a, BPF_ARSH, R0, 32);
}

static void get_ids(struct dt_lower *l)
{
	if (l->ids)
		dt_ldx(l->a, B8, R0, FP, F_IDS);
	else
		dt_help(l, BPF_FUNC_get_current_pid_tgid);
	l->cached = 0;
}

/* The task's number where we are: process.c. */
static void number_here(struct dt_lower *l, bool process)
{
	bad_offset(l, dt_kmember(l->b->opts, "task_struct", "tgid"), "the process id");
	if (l->b->opts->pidns_ino != 0) {
		bad_offset(l, dt_kmember(l->b->opts, "upid", NULL), "the namespace's process id");
		bad_offset(l, dt_kmember(l->b->opts, "pid_namespace", "ns.inum"), "the namespace's process id");
	}
	dt_task_number(l->a, l->b->opts, F_T0, process);
	l->cached = 0;
}

static void get_pid(struct dt_lower *l)
{
	if (l->b->opts->pidns_ino != 0) {
		dt_help(l, BPF_FUNC_get_current_task);
		number_here(l, true);
		return;
	}
	get_ids(l);
	dt_alui(l->a, BPF_ARSH, R0, 32);
}

static void get_tid(struct dt_lower *l)
{
	if (l->b->opts->pidns_ino != 0) {
		dt_help(l, BPF_FUNC_get_current_task);
		number_here(l, false);
		return;
	}
	get_ids(l);
	sign32(l);
}

static void get_uid(struct dt_lower *l)
{
	dt_help(l, BPF_FUNC_get_current_uid_gid);
	dt_alui(l->a, BPF_LSH, R0, 32);
	dt_alui(l->a, BPF_RSH, R0, 32);
}

static void get_gid(struct dt_lower *l)
{
	dt_help(l, BPF_FUNC_get_current_uid_gid);
	dt_alui(l->a, BPF_RSH, R0, 32);
}

static void get_ppid(struct dt_lower *l)
{

	dt_help(l, BPF_FUNC_get_current_task);
	dt_follow(l, dt_kmember(l->b->opts, "task_struct", "real_parent"), 8, "the parent process");
	number_here(l, true);
}

/* The number in the innermost namespace: numbers[level].nr of the task's struct pid. */
static void get_nspid(struct dt_lower *l)
{
	struct dt_emit *a = l->a;

	bad_offset(l, dt_kmember(l->b->opts, "upid", NULL), "the namespace's process id");
	dt_help(l, BPF_FUNC_get_current_task);
	dt_follow(l, dt_kmember(l->b->opts, "task_struct", "thread_pid"), 8, "the namespace's process id");
	dt_mov(a, R9, R0);
	dt_follow(l, dt_kmember(l->b->opts, "pid", "level"), 4, "the namespace's process id");
	dt_alui(a, BPF_MUL, R0, (int32_t)dt_kmember(l->b->opts, "upid", NULL));
	dt_alu(a, BPF_ADD, R0, R9);
	dt_follow(l, dt_kmember(l->b->opts, "pid", "numbers") + dt_kmember(l->b->opts, "upid", "nr"), 4,
	    "the namespace's process id");
	sign32(l);
}

static void get_wall(struct dt_lower *l)
{
	dt_time(l);
	dt_imm(l->a, R1, (uint64_t)l->b->opts->wall_offset);
	dt_alu(l->a, BPF_ADD, R0, R1);
}

/* ERESTARTSYS, -NOINTR, -NOHAND, -_RESTARTBLOCK are between the kernel and itself: the call was interrupted. */
static void restarts(struct dt_lower *l, uint32_t done)
{
	dt_alui(l->a, BPF_SUB, R1, 512);
	dt_jmpi(l->a, BPF_JGT, R1, 4, done);
	dt_jmpi(l->a, BPF_JEQ, R1, 3, done);	/* ENOIOCTLCMD */
	dt_imm(l->a, R0, EINTR);
}

static void get_errno(struct dt_lower *l)
{
	uint32_t done = dt_label(l->a);

	if ((l->ctx != DT_CTX_SYS_EXIT && l->ctx != DT_CTX_SYS_FEXIT) || l->error) {
		dt_imm(l->a, R0, 0);
		dt_put(l->a, done);
		return;
	}
	dt_ldx(l->a, B8, R1, R7, 8 * (int)l->value);
	dt_imm(l->a, R0, 0);
	dt_jmpi(l->a, BPF_JLT, R1, -MAX_ERRNO, done);
	dt_neg(l->a, R1);
	dt_mov(l->a, R0, R1);
	if (!l->b->opts->rawsyscall)
		restarts(l, done);
	dt_put(l->a, done);
}

static void get_curthread(struct dt_lower *l) { dt_help(l, BPF_FUNC_get_current_task); }
static void get_cpu(struct dt_lower *l) { dt_help(l, BPF_FUNC_get_smp_processor_id); }
static void get_cgroup(struct dt_lower *l) { dt_help(l, BPF_FUNC_get_current_cgroup_id); }
static void get_epid(struct dt_lower *l) { dt_epid(l, R0); }
static void get_id(struct dt_lower *l) { dt_probe_id(l, R0); }
static void get_ipl(struct dt_lower *l) { dt_imm(l->a, R0, 0); }

/* ---- stacks ---- */

#define DEPTH_MAX 127

/*
 * Kernel stacks of a raw tracepoint begin with ourselves: the program, bpf_trace_run<n>() and maybe the function that calls it; those of
 * a trampoline with the program, the trampoline and the function. How many frames each is depends on the machine. Clauses in
 * subprograms are one deeper. Perf events begin where they interrupted; kprobes with the function, kretprobes with its caller. The
 * stack of a function begins with its caller, as it always did in DTrace.
 */
static uint32_t own_frames(const struct dt_lower *l)
{
	const struct dt_machine *m = l->b->opts->machine;
	uint32_t program = m->frames.program + l->slot;

	switch (l->ctx) {
	case DT_CTX_PERF: case DT_CTX_KRETPROBE: case DT_CTX_UPROBE: case DT_CTX_URETPROBE: case DT_CTX_URETSITE: return 0;
	case DT_CTX_KPROBE: return l->inside ? 0 : m->frames.kprobe;
	case DT_CTX_RUN: return program;
	case DT_CTX_FENTRY: case DT_CTX_FEXIT: case DT_CTX_SYS_FENTRY: case DT_CTX_SYS_FEXIT: return program + 2;
	default: return program + m->frames.tracepoint;
	}
}

/*
 * Where there is a link register the caller of a function that has just been entered is in it alone, and the kernel's walk misses it
 * (6.12): it takes the place of the function itself. R0 has the bytes that were got.
 */
static void stack_caller(struct dt_lower *l, int base, int off, bool user)
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

static void take(struct dt_lower *l, int base, int off, uint32_t size, uint64_t flags)
{
	dt_mov(l->a, R1, R7);
	dt_mov(l->a, R2, base);
	dt_alui(l->a, BPF_ADD, R2, off);
	dt_imm(l->a, R3, size);
	dt_imm(l->a, R4, flags);
	dt_help(l, BPF_FUNC_get_stack);
}

/*
 * Between a tracepoint and its programs there may be one function more, __traceiter_NAME: whether it is a frame depends on the
 * machine, on how its compiler made a call of the one below it, and on who else uses the tracepoint. So it is looked for.
 */
void dt_stack_take(struct dt_lower *l, int base, int off, uint32_t size, bool user)
{
	struct dt_emit *a = l->a;
	uint32_t fine = dt_label(a);

	take(l, base, off, size, user ? BPF_F_USER_STACK : own_frames(l));
	if (l->iter && !user && size >= 8) {
		dt_jmpi(a, BPF_JSLE, R0, 0, fine);
		dt_mov(a, R1, base);
		dt_alui(a, BPF_ADD, R1, off);
		dt_ldx(a, B8, R1, R1, 0);
		dt_imm(a, R2, l->iter);
		dt_alu(a, BPF_SUB, R1, R2);
		dt_jmpi(a, BPF_JGE, R1, (int32_t)l->iter_len, fine);
		take(l, base, off, size, own_frames(l) + 1);
	}
	dt_put(a, fine);
	stack_caller(l, base, off, user);
}

/* R0 = bytes of the stack, which goes into the slot, at the offset that is returned: a user's by tables, others where keys are made. */
static uint32_t stack_bytes(struct dt_lower *l, bool user, uint32_t frames)
{
	if (user && dt_ustack_tables(l->b)) {
		dt_ustack_take(l, frames);
		return l->b->slot_frames;
	}
	if (l->b->keymax < 8 * frames)
		l->b->keymax = 8 * frames;
	dt_stack_take(l, dt_slot_reg(l), (int)l->b->slot_key, 8 * frames, user);
	return l->b->slot_key;
}

static void depth(struct dt_lower *l, bool user)
{
	uint32_t done = dt_label(l->a);

	stack_bytes(l, user, user && dt_ustack_tables(l->b) ? dt_ustack_room() / 8 : DEPTH_MAX);
	dt_jmpi(l->a, BPF_JSGE, R0, 0, done);
	dt_imm(l->a, R0, 0);
	dt_put(l->a, done);
	dt_alui(l->a, BPF_RSH, R0, 3);
}

static void frame_at(struct dt_lower *l, bool user, uint32_t n)
{
	struct dt_emit *a = l->a;
	uint32_t done = dt_label(a), none = dt_label(a), at = stack_bytes(l, user, n + 1);

	dt_jmpi(a, BPF_JSLT, R0, 8 * (int32_t)(n + 1), none);
	dt_mov(a, R1, R6);
	dt_alui(a, BPF_ADD, R1, (int32_t)(at + 8 * n));
	dt_ldx(a, B8, R0, R1, 0);
	dt_ja(a, done);
	dt_put(a, none);
	dt_imm(a, R0, 0);
	dt_put(a, done);
}

static void get_stackdepth(struct dt_lower *l) { depth(l, false); }
static void get_ustackdepth(struct dt_lower *l) { depth(l, true); }

/* Stacks of functions begin with the caller, all others with where we are. */
static void get_caller(struct dt_lower *l)
{
	bool function = l->ctx == DT_CTX_FENTRY || l->ctx == DT_CTX_FEXIT || (l->ctx == DT_CTX_KPROBE && !l->inside) ||
	    l->ctx == DT_CTX_KRETPROBE;

	frame_at(l, false, function ? 0 : 1);
}

static void get_ucaller(struct dt_lower *l) { frame_at(l, true, 1); }

/* ---- the table ---- */

static const struct { uint16_t id; void (*get)(struct dt_lower *); } getters[] = {
	{ DT_VAR_curthread, get_curthread },
	{ DT_VAR_timestamp, dt_time },
	{ DT_VAR_vtimestamp, dt_get_vtimestamp },
	{ DT_VAR_ipl, get_ipl },
	{ DT_VAR_epid, get_epid },
	{ DT_VAR_id, get_id },
	{ DT_VAR_stackdepth, get_stackdepth },
	{ DT_VAR_caller, get_caller },
	{ DT_VAR_pid, get_pid },
	{ DT_VAR_tid, get_tid },
	{ DT_VAR_walltimestamp, get_wall },
	{ DT_VAR_ustackdepth, get_ustackdepth },
	{ DT_VAR_ucaller, get_ucaller },
	{ DT_VAR_ppid, get_ppid },
	{ DT_VAR_uid, get_uid },
	{ DT_VAR_gid, get_gid },
	{ DT_VAR_errno, get_errno },
	{ DT_VAR_cwd, dt_get_cwd },
	{ DT_VAR_root, dt_get_root },
	{ DT_VAR_execargs, dt_get_execargs },
	{ DT_VAR_cgroup, get_cgroup },
	{ DT_VAR_nspid, get_nspid },
	{ DT_VAR_cpu, get_cpu },
};

static bool known_text(uint32_t id, struct dt_known *k)
{
	switch (id) {
	case DT_VAR_execname: case DT_VAR_threadname: *k = (struct dt_known){ .kind = V_COMM }; return true;
	case DT_VAR_zonename: *k = (struct dt_known){ .kind = V_STR, .text = "global" }; return true;
	}
	if (id < DT_VAR_probeprov || id > DT_VAR_probename)
		return false;
	*k = (struct dt_known){ .kind = V_PART, .v = id - DT_VAR_probeprov };
	return true;
}

void dt_lower_builtin(struct dt_lower *l, uint32_t id, unsigned rd)
{
	const struct dt_builtin *row = dt_builtin_var(id);
	struct dt_known k;

	l->cached = 0;
	if (known_text(id, &k)) {
		if (l->error && k.kind == V_PART) {
			static const char *const parts[] = { "dtrace", "", "", "ERROR" };

			k = (struct dt_known){ .kind = V_STR, .text = parts[k.v] };
		}
		dt_set_known(l, rd, k);
		return;
	}
	if (id >= DT_VAR_arg0 && id <= DT_VAR_arg9) {
		dt_arg(l, id - DT_VAR_arg0);
		dt_set(l, rd);
		return;
	}
	for (size_t i = 0; i < sizeof(getters) / sizeof(getters[0]); i++) {
		if (getters[i].id == id) {
			getters[i].get(l);
			dt_set(l, rd);
			return;
		}
	}
	REFUSE(l, "%s is not available for tracing yet", row ? row->name : "this variable");
}

/* args[]: the index is a constant in compiled D; else all ten are tried. */
static void args_element(struct dt_lower *l, unsigned ri, unsigned rd)
{
	struct dt_emit *a = l->a;
	uint32_t done = dt_label(a);

	if (!ri || l->reg[ri].kind == V_CONST) {
		uint64_t i = ri ? l->reg[ri].v : 0;

		dt_put(a, done);
		if (i > 9) {
			dt_imm(a, R1, i);
			dt_stx(a, B8, FP, F_T1, R1);
			dt_always_fault(l, DT_FLT_BADINDEX, F_T1);
			dt_set(l, rd);
			return;
		}
		dt_arg(l, (unsigned)i);
		dt_set(l, rd);
		return;
	}
	dt_settle(l, 1u << ri);
	for (unsigned i = 0; i < 10; i++) {
		uint32_t next = dt_label(a);

		dt_ldx(a, B8, R1, FP, dt_frame_reg(ri));
		dt_jmpi(a, BPF_JNE, R1, (int32_t)i, next);
		dt_arg(l, i);
		dt_ja(a, done);
		dt_put(a, next);
	}
	dt_ja(a, dt_fault_label(l, DT_FLT_BADINDEX, dt_frame_reg(ri)));
	dt_put(a, done);
	dt_set(l, rd);
}

/* Registers of the user's thread, words of struct pt_regs. */
static void uregs_element(struct dt_lower *l, unsigned ri, unsigned rd)
{
	struct dt_emit *a = l->a;

	dt_get(l, ri, R1);
	dt_stx(a, B8, FP, F_T1, R1);
	dt_jmpi(a, BPF_JGE, R1, l->b->opts->machine->regs.words, dt_fault_label(l, DT_FLT_BADINDEX, F_T1));
	dt_help(l, BPF_FUNC_get_current_task_btf);
	dt_mov(a, R1, R0);
	dt_help(l, BPF_FUNC_task_pt_regs);
	dt_scalar(a, R0);
	dt_ldx(a, B8, R1, FP, F_T1);
	dt_alui(a, BPF_LSH, R1, 3);
	dt_alu(a, BPF_ADD, R0, R1);
	dt_follow(l, 0, 8, "a register");
	dt_set(l, rd);
}

void dt_lower_ldga(struct dt_lower *l, uint32_t in)
{
	const struct dt_builtin *row = dt_builtin_var(dt_dif_r1(in));

	if (dt_dif_r1(in) == DT_VAR_uregs) {
		uregs_element(l, dt_dif_r2(in), dt_dif_rd(in));
		return;
	}
	if (dt_dif_r1(in) != DT_VAR_args)
		REFUSE(l, "%s[] is not available for tracing yet", row ? row->name : "this array");
	args_element(l, dt_dif_r2(in), dt_dif_rd(in));
}
