/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * speculate(), commit(), discard(). bpf/speculation.c says how the kernel keeps speculations,
 * interp/interp_spec.c how the interpreter does.
 */
#include "builtin/act_common.h"

/* ---- compiling ---- */

/*
 * speculate() must come before anything that records, since it decides where records go: at most one in a
 * clause, and not after commit().
 */
static void speculate_compile(struct dt_sema *s, const struct dt_builtin *row, struct dt_node *call)
{
	if (s->speculated)
		dt_fail(s->diag, D_SPEC_SPEC, call->loc,
		    "speculate( ) may not follow speculate( ) in one clause");
	if (s->committed)
		dt_fail(s->diag, D_SPEC_COMM, call->loc, "speculate( ) may not follow commit( )");
	if (s->recorded)
		dt_fail_hint(s->diag, D_SPEC_DREC, call->loc, "let speculate( ) come first in its clause",
		    "speculate( ) may not follow data-recording actions");
	dt_act_compile_number(s, row, call);
	s->speculated = true;
}

/* A committed record comes before those of its own clause, so commit() must come before them too. */
static void commit_compile(struct dt_sema *s, const struct dt_builtin *row, struct dt_node *call)
{
	if (s->committed)
		dt_fail(s->diag, D_COMM_COMM, call->loc, "commit( ) may not follow commit( ) in one clause");
	if (s->recorded)
		dt_fail_hint(s->diag, D_COMM_DREC, call->loc,
		    "put the data-recording actions into a clause of their own",
		    "commit( ) may not follow data-recording actions");
	dt_act_compile_number(s, row, call);
	s->committed = true;
}

/* ---- in the kernel ---- */

/* A speculation that is not active drops what the clause records. */
static void speculate_lower(struct dt_lower *l, const struct dt_act *act, const struct dt_actfield *f)
{
	(void)act;
	dt_field_number(l);
	dt_speculate(l, f->off, dt_drop_label(l));
}

static void commit_lower(struct dt_lower *l, const struct dt_act *act, const struct dt_actfield *f)
{
	(void)act, (void)f;
	dt_field_number(l);
	dt_spec_end(l, true);
}

static void discard_lower(struct dt_lower *l, const struct dt_act *act, const struct dt_actfield *f)
{
	(void)act, (void)f;
	dt_field_number(l);
	dt_spec_end(l, false);
}

/* ---- in the interpreter ---- */

/*
 * Without room the clause ends as well, but how much it would record is not known here: the end of the run
 * finds that out.
 */
static void speculate_run(struct dt_run *run, const struct dt_act *act, uint64_t value)
{
	(void)act;
	if (dt_interp_spec_active(run->ip, (uint32_t)value))
		run->spec = (uint32_t)value;
	else
		run->dropped = true;
}

static void commit_run(struct dt_run *run, const struct dt_act *act, uint64_t value)
{
	(void)act;
	dt_interp_spec_commit(run->ip, (uint32_t)value);
}

static void discard_run(struct dt_run *run, const struct dt_act *act, uint64_t value)
{
	(void)act;
	dt_interp_spec_discard(run->ip, (uint32_t)value);
}

#define NAME(n, i, c, d) .names = DT_ACT_NAMES(DT_ACT_NAME(n, 0, i, "void(int)", DT_VERS(1, 0, 0), c, d))
/* None of the three has a record of its own. */
#define NOTHING .facts = DT_AF_UNRECORDED | DT_AF_SILENT, .size = dt_field_none_size, \
	.bytes = dt_bytes_by_type, \
	.value = dt_record_by_type

const struct dt_action dt_action_SPECULATE = {
	NAME("speculate", DT_ACT_SPECULATE, speculate_compile,
	    "keeps back what the clause records until it is committed"),
	NOTHING,
	.lower = speculate_lower,
	.run = speculate_run,
};

const struct dt_action dt_action_COMMIT = {
	NAME("commit", DT_ACT_COMMIT, commit_compile, "lets out what was recorded under a speculation"),
	NOTHING, .lower = commit_lower, .run = commit_run,
};

const struct dt_action dt_action_DISCARD = {
	NAME("discard", DT_ACT_DISCARD, dt_act_compile_number,
	    "throws away what was recorded under a speculation"),
	NOTHING,
	.lower = discard_lower,
	.run = discard_run,
};
