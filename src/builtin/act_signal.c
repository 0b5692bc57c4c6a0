/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stop(), raise(), chill(): what is done to the process that fires the probe, in the kernel and at once. The
 * record, if there is one, only tells that it was done. All of them are destructive.
 */
#include "bpf/image.h"
#include "builtin/act.h"

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

static void stop_lower(struct dt_lower *l, const struct dt_act *act, const struct dt_actfield *f)
{
	need_signals(l, "stop");
	if (act->difo)
		record_number(l, f);
	dt_imm(dt_code(l), R1, SIGSTOP);
	dt_help(l, BPF_FUNC_send_signal);
}

static void raise_lower(struct dt_lower *l, const struct dt_act *act, const struct dt_actfield *f)
{
	(void)act;
	need_signals(l, "raise");
	record_number(l, f);
	dt_mov(dt_code(l), R1, R0);
	dt_help(l, BPF_FUNC_send_signal);
}

/* The historic limit of one chill is half a second; more is a fault. The runtime waits busily. */
static void chill_lower(struct dt_lower *l, const struct dt_act *act, const struct dt_actfield *f)
{
	struct dt_emit *a = dt_code(l);

	(void)act;
	record_number(l, f);
	dt_jmpi(a, BPF_JGT, R0, 500000000, dt_fault_label(l, DT_FLT_ILLOP, A_NONE));
	dt_stx(a, B8, dt_slot_reg(l), W_N, R0);
	dt_runtime(l, "rt_chill");
}

#define NAME(n, i, p, d) .names = DT_ACT_NAMES(DT_ACT_NAME(n, DT_BF_DESTRUCTIVE, i, p, DT_VERS(1, 0, 0), \
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
