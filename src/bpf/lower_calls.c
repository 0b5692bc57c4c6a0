/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Calls of subroutines: the tuple in, a value in a DIF register out. The subroutine's row in src/builtin
 * makes the code; here are the parts of bpf/lower.h that it is made of: arguments, strings in the slot,
 * functions of src/bpf/runtime.
 */
#include "bpf/build.h"
#include "base/count.h"
#include "dif/builtin.h"

#include <stdarg.h>

/* ---- the clause ---- */

struct dt_emit *dt_code(struct dt_lower *l) { return l->a; }
const struct dt_plan_opts *dt_opts(const struct dt_lower *l) { return l->b->opts; }

/* What the kernel does for the current thread alone: wall-n fires for others. */
static const struct { int helper; const char *what; } current_only[] = {
	{ BPF_FUNC_probe_read_user_str, "strings of the process cannot be read at wall-n, where they may "
	    "have to be fetched from its memory: copyin( ) reads bytes of a known length" },
	{ BPF_FUNC_probe_write_user, "memory of a process can be written while it runs, and at wall-n "
	    "another one does" },
	{ BPF_FUNC_send_signal, "signals go to the process that runs, and at wall-n that is not the one the "
	    "probe fires for: use system( ) with kill" },
};

void dt_help(struct dt_lower *l, int helper)
{
	for (size_t i = 0; l->a->task != NULL && i < DT_COUNT(current_only); i++)
		if (current_only[i].helper == helper)
			REFUSE(l, "%s", current_only[i].what);
	dt_call(l->a, helper);
	l->cached = 0;
}

void dt_about(struct dt_lower *l, enum dt_about what)
{
	dt_imm(l->a, R1, what);
	dt_help(l, DT_HELPER_PROCESS);
}

void dt_lower_refuse(struct dt_lower *l, const char *fmt, ...)
{
	va_list ap;
	char *text;

	va_start(ap, fmt);
	text = dt_arena_vprintf(l->b->arena, fmt, ap);
	va_end(ap);
	dt_refuse(l->b, dt_lower_loc(l), "%s", text);
}

/* ---- arguments ---- */

uint32_t dt_tuple_nargs(const struct dt_lower *l) { return l->ntuple; }

void dt_tuple_arg(struct dt_lower *l, uint32_t i, int dst)
{
	const struct dt_tentry *t = &l->tuple[i];

	if (i >= l->ntuple) {
		dt_imm(l->a, dst, 0);
	} else if (t->known.kind == V_NUM) {
		dt_ldx(l->a, B8, dst, FP, dt_frame_tuple(i));
	} else if (t->known.kind == V_CONST) {
		dt_imm(l->a, dst, t->known.v);
	} else {
		dt_known_address(l, t->known);
		dt_mov(l->a, dst, R0);
	}
}

void dt_tuple_int(struct dt_lower *l, uint32_t i, int dst)
{
	dt_tuple_arg(l, i, dst);
	dt_alui(l->a, BPF_LSH, dst, 32);
	dt_alui(l->a, BPF_ARSH, dst, 32);
}

bool dt_tuple_known(const struct dt_lower *l, uint32_t i, uint64_t *v)
{
	if (i < l->ntuple && l->tuple[i].known.kind != V_CONST)
		return false;
	*v = i < l->ntuple ? l->tuple[i].known.v : 0;
	return true;
}

void dt_tuple_string_at(struct dt_lower *l, uint32_t i)
{
	struct dt_emit *a = l->a;
	uint32_t pc = l->pc;

	dt_stx(a, B8, FP, F_T0, R1);
	dt_tuple_arg(l, i, R3);
	if (i >= l->ntuple || l->tuple[i].known.kind == V_NUM || l->tuple[i].known.kind == V_CONST) {
		dt_stx(a, B8, FP, F_T1, R3);
		dt_jmpi(a, BPF_JEQ, R3, 0, dt_fault_label(l, DT_FLT_BADADDR, F_T1));
	}
	dt_ldx(a, B8, R1, FP, F_T0);
	dt_imm(a, R2, l->b->opts->strsize);
	dt_help(l, BPF_FUNC_probe_read_kernel_str);
	if (i < l->ntuple)
		l->pc = l->tuple[i].pc;
	dt_stx(a, B8, FP, F_T0, R0);
	dt_tuple_arg(l, i, R3);
	dt_stx(a, B8, FP, F_T1, R3);
	dt_ldx(a, B8, R0, FP, F_T0);
	dt_jmpi(a, BPF_JSLE, R0, 0, dt_fault_label(l, DT_FLT_BADADDR, F_T1));
	l->pc = pc;
	/* never taken; without it: "R2 unbounded memory access" */
	dt_jmpi(a, BPF_JGT, R0, (int32_t)l->b->opts->strsize, dt_fault_label(l, DT_FLT_ILLOP, A_NONE));
}

int32_t dt_slot_buffer(const struct dt_lower *l, enum dt_buffer buffer)
{
	return (int32_t)(buffer == DT_BUF_TOKENS ? l->b->slot_tok[l->error] : l->b->slot_str[buffer]);
}

int dt_slot_tok_pos(const struct dt_lower *l) { return l->error ? S_ERROR_TOK_POS : S_TOK_POS; }

void dt_tuple_string(struct dt_lower *l, uint32_t i, enum dt_buffer buffer)
{
	dt_mov(l->a, R1, dt_slot_reg(l));
	dt_alui(l->a, BPF_ADD, R1, dt_slot_buffer(l, buffer));
	dt_tuple_string_at(l, i);
}

/* ---- functions of the runtime ---- */

void dt_work(struct dt_lower *l, int at, int reg) { dt_stx(l->a, B8, dt_slot_reg(l), at, reg); }
void dt_work_imm(struct dt_lower *l, int at, int32_t v) { dt_sti(l->a, B8, dt_slot_reg(l), at, v); }

void dt_tuple_strings(struct dt_lower *l, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		dt_tuple_string(l, i, i ? DT_BUF_B : DT_BUF_A);
		dt_alui(l->a, BPF_SUB, R0, 1);
		dt_work(l, i ? W_LB : W_LA, R0);
	}
}

void dt_runtime_on(struct dt_lower *l, const char *name, enum dt_buffer first)
{
	struct dt_emit *a = l->a;
	const enum dt_buffer buffer[2] = { first, DT_BUF_B };

	if (a->task != NULL && (strcmp(name, "rt_argv") == 0 || strcmp(name, "rt_goid") == 0))
		REFUSE(l, "%s reads memory of the process that runs, and at wall-n another one does",
		    strcmp(name, "rt_goid") == 0 ? "goid" : "copyinargv( )");
	dt_scratch_open(l);
	for (int i = 0; i < 2; i++) {
		dt_mov(a, R1 + i, R6);
		dt_alui(a, BPF_ADD, R1 + i, dt_slot_buffer(l, buffer[i]));
	}
	dt_scratch_ptr(l, R3, R9);
	dt_mov(a, R4, R6);
	dt_alui(a, BPF_ADD, R4, S_WORK);
	dt_imm(a, R5, l->b->opts->strsize);
	dt_callsub(a, dt_rt_label(l, name));
	l->cached = 0;
}

void dt_runtime(struct dt_lower *l, const char *name) { dt_runtime_on(l, name, DT_BUF_A); }

/* The test is never true; it bounds r0 for the verifier. */
void dt_runtime_take(struct dt_lower *l)
{
	dt_jmpi(l->a, BPF_JGT, R0, (int32_t)l->b->opts->strsize, dt_fault_label(l, DT_FLT_ILLOP, A_NONE));
	dt_scratch_close(l);
}

/* ---- the call ---- */

static void check_needs(struct dt_lower *l, const struct dt_builtin *row)
{
	if ((row->needs & DT_NEED_WRITE_USER) && !l->b->opts->feat->probe_write_user)
		REFUSE(l, "this kernel does not let tracing programs write to processes, which %s( ) needs: "
		    "it takes CAP_SYS_ADMIN, and a kernel booted with lockdown=none",
		    row->name);
}

void dt_lower_call(struct dt_lower *l, uint32_t in)
{
	const struct dt_builtin *row = dt_builtin_subr(dt_dif_v16(in));

	l->cached = 0;
	dt_tuple_check(l);
	if (!row || !row->lower)
		REFUSE(l, "%s( ) is not available for tracing", row ? row->name : "this subroutine");
	check_needs(l, row);
	row->lower(l);
	l->cached = 0;
	dt_set(l, dt_dif_rd(in));
}
