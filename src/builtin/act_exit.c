/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * exit(), and what the compiler makes of if and else: actions that end the trace or leave other actions out.
 * The control map (struct dt_control) is how programs tell the consumer and each other that tracing is over.
 */
#include "bpf/build.h"
#include "builtin/act_common.h"

/* ---- exit ---- */

/* The status is an int. */
static uint32_t exit_size(struct dt_build *b, const struct dt_act *act) { (void)b, (void)act; return 4; }

/*
 * r0 is the status. The first exit() wins: one compare-and-swap sets "exited" and the status together, and
 * a later one jumps to f->skip or, without it, records nothing. After it no other clause begins. In
 * END no other clause competes, so a plain store is enough.
 */
static void exit_lower(struct dt_lower *l, const struct dt_act *act, const struct dt_actfield *f)
{
	struct dt_emit *a = l->a;

	(void)act;
	dt_field_number(l);
	if (l->reserved && f->size)
		dt_field_store(l, f->base, f->off, 4);
	dt_mapval(a, R2, dt_control_map(l->b), 0);
	dt_mov(a, R3, R0);
	dt_alui(a, BPF_LSH, R3, 32);
	dt_alui(a, BPF_OR, R3, 1);
	if (l->end) {
		dt_stx(a, B8, R2, (int)offsetof(struct dt_control, exited), R3);
		return;
	}
	dt_imm(a, R0, 0);
	dt_atomic(a, BPF_CMPXCHG, R2, (int)offsetof(struct dt_control, exited), R3);
	dt_jmpi(a, BPF_JNE, R0, 0, f->skip ? f->skip : dt_drop_label(l));
	dt_sti(a, B4, R2, (int)offsetof(struct dt_control, stopped), 1);
	if (l->arms)
		dt_sti(a, B8, FP, F_EXITED, 1);
}

/* The same rules without other CPUs: only the first exit() counts, except in END. */
static void exit_run(struct dt_run *run, const struct dt_act *act, uint64_t value)
{
	int32_t status = (int32_t)value;

	(void)act;
	if (run->ip->exited && !run->ip->in_end) {
		run->dropped = true;
		return;
	}
	run->ip->exited = true;
	run->ip->exit_status = status;
	run->exited = !run->ip->in_end && !run->ip->in_error;
	dt_run_record(run, (struct dt_bytes){ (const uint8_t *)&status, 4 });
}

/* The text sink prints nothing; the consumer gets the status. */
static void exit_text(struct dt_statements *s, const struct dt_rec *recs, size_t n)
{
	(void)n;
	if (s->ops.exit != NULL)
		s->ops.exit(s->ops.ctx, (int)dt_rec_int(&recs[0]));
}

/* Shows the status, then passes it to the consumer. */
static void exit_json(struct dt_json_firing *f, const char *name, const struct dt_rec *recs, size_t n)
{
	dt_json_action_open(f, name);
	dt_json_key(f->j, "status");
	dt_json_int(f->j, dt_rec_int(&recs[0]));
	dt_json_action_close(f);
	dt_json_action_do(f, recs, n);
}

const struct dt_action dt_action_EXIT = {
	.names = DT_ACT_NAMES(DT_ACT_NAME("exit", DT_BF_RECORDS, DT_ACT_EXIT, "void(int)", DT_VERS(1, 0, 0),
	    dt_act_compile_number, "ends tracing, with an exit status")),
	.facts = DT_AF_ALSO,
	.size = exit_size,
	.lower = exit_lower,
	.bytes = dt_bytes_by_type,
	.run = exit_run,
	.value = dt_record_by_type,
	.shape = DT_SHAPE_EFFECT,
	.text = exit_text,
	.json = exit_json,
};

/* ---- if ---- */

/* One byte: the condition was true, or not. */
static uint32_t skipz_size(struct dt_build *b, const struct dt_act *act) { (void)b, (void)act; return 1; }

/*
 * The condition of an if. What it was is recorded in one byte, so that the consumer knows which of the
 * actions after it have records.
 */
static void skipz_lower(struct dt_lower *l, const struct dt_act *act, const struct dt_actfield *f)
{
	struct dt_emit *a = l->a;
	uint32_t yes = dt_label(a);

	(void)act;
	dt_field_number(l);
	dt_jmpi(a, BPF_JNE, R0, 0, yes);
	if (l->reserved && f->size)
		dt_sti(a, B1, f->base, f->off, 0);
	dt_ja(a, f->skip);
	dt_put(a, yes);
	if (l->reserved && f->size)
		dt_sti(a, B1, f->base, f->off, 1);
}

/* act->arg is how many actions the branch has. */
static void skipz_run(struct dt_run *run, const struct dt_act *act, uint64_t value)
{
	uint8_t byte = value != 0;

	dt_run_record(run, (struct dt_bytes){ &byte, 1 });
	if (!value)
		run->skip = act->arg;
}

const struct dt_action dt_action_SKIPZ = {
	.facts = DT_AF_SILENT,
	.size = skipz_size,
	.lower = skipz_lower,
	.bytes = dt_bytes_by_type,
	.run = skipz_run,
	.value = dt_record_by_type,
};

/* ---- nothing ---- */

/* An action that does nothing, such as a clause whose statements all went away. */
static void none_run(struct dt_run *run, const struct dt_act *act, uint64_t value)
{
	(void)run, (void)act, (void)value;
}

const struct dt_action dt_action_NONE = {
	.facts = DT_AF_UNRECORDED,
	.size = dt_field_none_size,
	.lower = dt_field_nothing,
	.bytes = dt_bytes_by_type,
	.run = none_run,
	.value = dt_record_by_type,
	.shape = DT_SHAPE_EFFECT,
	.text = dt_statement_other,
	.json = dt_json_action_plain,
};
