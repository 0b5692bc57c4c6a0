/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stop(), raise(), chill(): what is done to the process that fires the probe, in the kernel and at once. We
 * are left alone: a trace that has stopped itself could not be continued.
 */
#include "bpf/build.h"
#include "bpf/lower_process.h"
#include "builtin/act_common.h"

#include <signal.h>

/* The argument into r0, and into the record if it has room there. */
static void record_number(struct dt_lower *l, const struct dt_actfield *f)
{
	dt_field_number(l);
	if (f->size)
		dt_field_store(l, f->base, f->off, f->size);
}

/* bpf_send_signal() may be missing or forbidden: the program is refused before it runs. */
static void need_signals(struct dt_lower *l, const char *name)
{
	if (!dt_opts(l)->feat->send_signal)
		REFUSE(l, "this kernel does not let tracing programs send signals, which %s( ) needs", name);
}

/*
 * bpf_send_signal() asks for no right, so the rule of kill(2) is enforced here: without CAP_KILL only
 * processes whose real user is ours. Any other process is a fault. bpf_get_current_uid_gid() has the user in
 * its lower half.
 */
static void check_owner(struct dt_lower *l)
{
	uint64_t uid = dt_opts(l)->signal_uid;
	struct dt_emit *a = dt_code(l);

	if (uid == 0)
		return;
	dt_help(l, BPF_FUNC_get_current_uid_gid);
	dt_alui(a, BPF_LSH, R0, 32);
	dt_alui(a, BPF_RSH, R0, 32);
	dt_imm(a, R1, uid - 1);
	dt_jmp(a, BPF_JNE, R0, R1, dt_fault_label(l, DT_FLT_UPRIV, A_NONE));
}

/* Signal `sig`, or where that is 0 the one in r0, to the process, unless it is dtrace. */
static void send_signal(struct dt_lower *l, int sig)
{
	struct dt_emit *a = dt_code(l);
	uint32_t ours = dt_label(a);

	if (sig != 0)
		dt_imm(a, R0, (uint64_t)sig);
	dt_mov(a, R9, R0);
	check_owner(l);
	dt_process_number(a, dt_opts(l), F_T1);
	dt_jmpi(a, BPF_JEQ, R0, (int32_t)dt_opts(l)->self_pid, ours);
	dt_mov(a, R1, R9);
	dt_help(l, BPF_FUNC_send_signal);
	dt_put(a, ours);
}

/* stop() has no argument; a saved program may still record a number with it. */
static void stop_lower(struct dt_lower *l, const struct dt_act *act, const struct dt_actfield *f)
{
	need_signals(l, "stop");
	if (act->difo)
		record_number(l, f);
	send_signal(l, SIGSTOP);
}

/* The number in r0 is the program's: the kernel refuses one that is no signal. */
static void raise_lower(struct dt_lower *l, const struct dt_act *act, const struct dt_actfield *f)
{
	(void)act;
	need_signals(l, "raise");
	record_number(l, f);
	send_signal(l, 0);
}

/* As in history: half a second in any second of a CPU, in sum; more than that is an illegal operation. */
#define CHILL_MAX 500000000
#define CHILL_INTERVAL 1000000000

/* Takes the time in W_N from what the CPU has left; nothing is left: a fault. */
static void take_chill(struct dt_lower *l)
{
	uint32_t fault = dt_fault_label(l, DT_FLT_ILLOP, A_NONE);
	struct dt_emit *a = dt_code(l);
	uint32_t same = dt_label(a);

	dt_sti(a, B8, FP, F_T0, 0);
	dt_map(a, R1, dt_chill_map(l->b));
	dt_fpaddr(a, R2, F_T0);
	dt_help(l, BPF_FUNC_map_lookup_elem);
	dt_jmpi(a, BPF_JEQ, R0, 0, fault);
	dt_mov(a, R9, R0);
	dt_help(l, BPF_FUNC_ktime_get_ns);
	dt_ldx(a, B8, R1, R9, offsetof(struct dt_chill, since));
	dt_mov(a, R2, R0);
	dt_alu(a, BPF_SUB, R2, R1);
	dt_jmpi(a, BPF_JLE, R2, CHILL_INTERVAL, same);
	dt_stx(a, B8, R9, offsetof(struct dt_chill, since), R0);
	dt_sti(a, B8, R9, offsetof(struct dt_chill, sum), 0);
	dt_put(a, same);
	dt_ldx(a, B8, R1, R9, offsetof(struct dt_chill, sum));
	dt_ldx(a, B8, R2, dt_slot_reg(l), W_N);
	dt_alu(a, BPF_ADD, R1, R2);
	dt_jmpi(a, BPF_JGT, R1, CHILL_MAX, fault);
	dt_stx(a, B8, R9, offsetof(struct dt_chill, sum), R1);
}

static void chill_lower(struct dt_lower *l, const struct dt_act *act, const struct dt_actfield *f)
{
	struct dt_emit *a = dt_code(l);

	(void)act;
	record_number(l, f);
	dt_jmpi(a, BPF_JGT, R0, CHILL_MAX, dt_fault_label(l, DT_FLT_ILLOP, A_NONE));
	dt_stx(a, B8, dt_slot_reg(l), W_N, R0);
	take_chill(l);
	dt_runtime(l, "rt_chill");
	dt_sti(a, B8, FP, F_TIME, 0);	/* timestamp is taken again */
}

#define NAME(n, i, p, d) .where = DT_IN_KERNEL | DT_IN_PROCESS, \
	.names = DT_ACT_NAMES(DT_ACT_NAME(n, DT_BF_DESTRUCTIVE, i, p, DT_VERS(1, 0, 0), \
	dt_act_compile_number, d))
#define DONE .shape = DT_SHAPE_EFFECT, .size = dt_field_by_type_size, .bytes = dt_bytes_by_type, \
	.value = dt_record_by_type, \
	.text = dt_statement_other, .json = dt_json_action_plain

const struct dt_action dt_action_STOP = {
	NAME("stop", DT_ACT_STOP, "void()", "stops the process"), DONE, .lower = stop_lower,
};

const struct dt_action dt_action_RAISE = {
	NAME("raise", DT_ACT_RAISE, "void(int)", "sends the process a signal"), DONE, .lower = raise_lower,
};

const struct dt_action dt_action_CHILL = {
	NAME("chill", DT_ACT_CHILL, "void(int)", "holds the CPU for some nanoseconds"),
	DONE,
	.lower = chill_lower,
};
