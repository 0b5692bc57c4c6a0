/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Variables about the probe that fires: its arguments, its name, its numbers; the registers of the process
 * there; and the error of a system call.
 */
#include "base/count.h"
#include "builtin/row.h"

#include <errno.h>

/* The kernel returns errors as -1 to -4095. */
#define MAX_ERRNO 4095

/* arg0 … arg9: the arguments as numbers. */
#define ARGUMENT(n) \
	GETTER(arg##n, CONTEXT(ip)->arg[n]) \
	static void lower_arg##n(struct dt_lower *l) { dt_arg(l, n); } \
	const struct dt_builtin dt_var_arg##n = { \
		DT_SCALAR(arg##n, "int64_t", V(1, 0), STABLE), .get = get_arg##n, .lower = lower_arg##n, \
		.scratch = DT_SCRATCH_NONE, \
		.doc = "Argument " #n " of the probe as a number of 64 bits.", \
	};

ARGUMENT(0)
ARGUMENT(1)
ARGUMENT(2)
ARGUMENT(3)
ARGUMENT(4)
ARGUMENT(5)
ARGUMENT(6)
ARGUMENT(7)
ARGUMENT(8)
ARGUMENT(9)

/* The interpreter's args[] are numbers; their types are the compiler's affair. */
static uint64_t get_args(struct dt_interp *ip, uint64_t index)
{
	if (index >= DT_COUNT(CONTEXT(ip)->arg))
		return dt_interp_fault(ip, DT_FLT_BADINDEX, index);
	return CONTEXT(ip)->arg[index];
}

/*
 * The index is a constant in compiled D, so one argument is fetched. A saved program may compute it: then all
 * ten are tried in turn.
 */
static void lower_args(struct dt_lower *l, unsigned ri)
{
	struct dt_emit *a = dt_code(l);
	uint32_t done = dt_label(a);
	uint64_t i;

	if (dt_reg_known(l, ri, &i)) {
		dt_put(a, done);
		if (i > 9) {
			dt_imm(a, R1, i);
			dt_stx(a, B8, FP, F_T1, R1);
			dt_always_fault(l, DT_FLT_BADINDEX, F_T1);
			return;
		}
		dt_arg(l, (unsigned)i);
		return;
	}
	dt_settle(l, 1u << ri);
	for (i = 0; i < 10; i++) {
		uint32_t next = dt_label(a);

		dt_ldx(a, B8, R1, FP, dt_frame_reg(ri));
		dt_jmpi(a, BPF_JNE, R1, (int32_t)i, next);
		dt_arg(l, (unsigned)i);
		dt_ja(a, done);
		dt_put(a, next);
	}
	dt_ja(a, dt_fault_label(l, DT_FLT_BADINDEX, dt_frame_reg(ri)));
	dt_put(a, done);
}

const struct dt_builtin dt_var_args = {
	DT_ARRAY(args, "int64_t", V(1, 0), STABLE),
	.get = get_args, .lower_at = lower_args, .scratch = DT_SCRATCH_NONE,
	.doc = "The arguments of the probe, with the types its provider gives them.",
};

static uint64_t get_uregs(struct dt_interp *ip, uint64_t index)
{
	uint64_t value = 0;

	if (!dt_interp_ureg(ip, index, &value))
		return dt_interp_fault(ip, DT_FLT_BADINDEX, index);
	return value;
}

/*
 * Registers of the user's thread as words of struct pt_regs. The index is checked against the machine's
 * number.
 */
static void lower_uregs(struct dt_lower *l, unsigned ri)
{
	struct dt_emit *a = dt_code(l);

	dt_get(l, ri, R1);
	dt_stx(a, B8, FP, F_T1, R1);
	dt_jmpi(a, BPF_JGE, R1, dt_opts(l)->machine->regs.words, dt_fault_label(l, DT_FLT_BADINDEX, F_T1));
	dt_help(l, BPF_FUNC_get_current_task_btf);
	dt_mov(a, R1, R0);
	dt_help(l, BPF_FUNC_task_pt_regs);
	dt_scalar(a, R0);
	dt_ldx(a, B8, R1, FP, F_T1);
	dt_alui(a, BPF_LSH, R1, 3);
	dt_alu(a, BPF_ADD, R0, R1);
	dt_follow(l, 0, 8, "a register");
}

const struct dt_builtin dt_var_uregs = {
	DT_ARRAY(uregs, "uint64_t", V(1, 0), STABLE),
	.get = get_uregs, .lower_at = lower_uregs, .scratch = DT_SCRATCH_NONE,
	.where = DT_IN_KERNEL | DT_IN_PROCESS,
	.doc = "The registers of the process as it entered the kernel, by number (R_PC, R_SP and others of "
	    "<regs.d>).",
};

const struct dt_builtin dt_var_regs = { DT_ARRAY(regs, "uint64_t", V(1, 0), EVOLVING),
	.unsupported = "kernel registers are not saved at a probe; use uregs[] for the user's registers" };

const struct dt_builtin dt_var_vmregs = { DT_ARRAY(vmregs, "uint64_t", V(1, 7), EVOLVING),
	.unsupported = "registers of a virtual machine's guest are known only to its hypervisor" };

GETTER(epid, dt_interp_epid(ip))

/* Numbers of the enabling and of the probe are constants of each clause. */
static void lower_epid(struct dt_lower *l) { dt_epid(l, R0); }

const struct dt_builtin dt_var_epid = {
	DT_SCALAR(epid, "uint_t", V(1, 0), STABLE),
	.get = get_epid, .lower = lower_epid, .scratch = DT_SCRATCH_NONE,
	.doc = "The number of the enabled probe: of this clause at this probe.",
};

GETTER(id, CONTEXT(ip)->probe_id)

static void lower_id(struct dt_lower *l) { dt_probe_id(l, R0); }

const struct dt_builtin dt_var_id = {
	DT_SCALAR(id, "uint_t", V(1, 0), STABLE),
	.get = get_id, .lower = lower_id, .scratch = DT_SCRATCH_NONE,
	.doc = "The number of the probe, as dtrace -l shows it.",
};

/* ---- its name ---- */

GETTER(probeprov, dt_interp_text(ip, TEXT_PROV, CONTEXT(ip)->probe.prov))

const struct dt_builtin dt_var_probeprov = {
	DT_SCALAR(probeprov, "string", V(1, 0), STABLE),
	.get = get_probeprov, .known = &(const struct dt_known){ .kind = V_PART, .v = 0 },
	.scratch = DT_SCRATCH_NONE,
	.doc = "The provider's part of the probe's name.",
};

GETTER(probemod, dt_interp_text(ip, TEXT_MOD, CONTEXT(ip)->probe.mod))

const struct dt_builtin dt_var_probemod = {
	DT_SCALAR(probemod, "string", V(1, 0), STABLE),
	.get = get_probemod, .known = &(const struct dt_known){ .kind = V_PART, .v = 1 },
	.scratch = DT_SCRATCH_NONE,
	.doc = "The module's part of the probe's name.",
};

GETTER(probefunc, dt_interp_text(ip, TEXT_FUNC, CONTEXT(ip)->probe.func))

const struct dt_builtin dt_var_probefunc = {
	DT_SCALAR(probefunc, "string", V(1, 0), STABLE),
	.get = get_probefunc, .known = &(const struct dt_known){ .kind = V_PART, .v = 2 },
	.scratch = DT_SCRATCH_NONE,
	.doc = "The function's part of the probe's name.",
};

GETTER(probename, dt_interp_text(ip, TEXT_NAME, CONTEXT(ip)->probe.name))

const struct dt_builtin dt_var_probename = {
	DT_SCALAR(probename, "string", V(1, 0), STABLE),
	.get = get_probename, .known = &(const struct dt_known){ .kind = V_PART, .v = 3 },
	.scratch = DT_SCRATCH_NONE,
	.doc = "The last part of the probe's name.",
};

/* ---- of a system call ---- */

GETTER(errno, (int64_t)CONTEXT(ip)->err)

/*
 * ERESTARTSYS (512), ERESTARTNOINTR, ERESTARTNOHAND and ERESTART_RESTARTBLOCK (516) stay inside the kernel:
 * the process sees EINTR, or its call begins again. 515 is ENOIOCTLCMD.
 */
static void hide_restarts(struct dt_lower *l, uint32_t done)
{
	dt_alui(dt_code(l), BPF_SUB, R1, 512);
	dt_jmpi(dt_code(l), BPF_JGT, R1, 4, done);
	dt_jmpi(dt_code(l), BPF_JEQ, R1, 3, done);	/* ENOIOCTLCMD */
	dt_imm(dt_code(l), R0, EINTR);
}

/* 0 outside of a system call's return. -x rawsyscall shows the kernel's own numbers. */
static void lower_errno(struct dt_lower *l)
{
	uint32_t done = dt_label(dt_code(l));

	if (!dt_sys_value(l, R1)) {
		dt_imm(dt_code(l), R0, 0);
		dt_put(dt_code(l), done);
		return;
	}
	dt_imm(dt_code(l), R0, 0);
	dt_jmpi(dt_code(l), BPF_JLT, R1, -MAX_ERRNO, done);
	dt_neg(dt_code(l), R1);
	dt_mov(dt_code(l), R0, R1);
	if (!dt_opts(l)->rawsyscall)
		hide_restarts(l, done);
	dt_put(dt_code(l), done);
}

const struct dt_builtin dt_var_errno = {
	DT_SCALAR(errno, "int", V(1, 0), STABLE),
	.get = get_errno, .lower = lower_errno, .scratch = DT_SCRATCH_NONE,
	.doc = "The error of the system call that returns, 0: it succeeded.",
};
