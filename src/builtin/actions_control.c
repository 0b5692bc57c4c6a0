/* SPDX-License-Identifier: BSD-2-Clause */
/* Actions that steer: exit, speculation, and the destructive ones that change the system. */
#include "sema/sema.h"

static void plain_args(struct dt_sema *s, const struct dt_builtin *row, struct dt_node *call)
{
	dt_act_args(s, call, false);
	for (const struct dt_node *a = call->list; a != NULL; a = a->next)
		if (a->kind == DT_N_AGG || a->kind == DT_N_XLATE || (a->kind == DT_N_INDEX && a->a->kind == DT_N_AGG))
			dt_fail(s->diag, D_PROTO_ARG, a->loc, "%s( ) needs a plain value here", row->name);
	dt_call_check(s, call, row);
}

/* exit, raise, chill and others: at most one number. */
static void compile_number(struct dt_sema *s, const struct dt_builtin *row, struct dt_node *call)
{
	plain_args(s, row, call);
	if (call->list != NULL)
		dt_act_expr(s, row->id, call->list);
	else
		dt_act_add(s, row->id, call->loc);
}

static void compile_speculate(struct dt_sema *s, const struct dt_builtin *row, struct dt_node *call)
{
	if (s->speculated)
		dt_fail(s->diag, D_SPEC_SPEC, call->loc, "speculate( ) may not follow speculate( ) in one clause");
	if (s->committed)
		dt_fail(s->diag, D_SPEC_COMM, call->loc, "speculate( ) may not follow commit( )");
	if (s->recorded)
		dt_fail_hint(s->diag, D_SPEC_DREC, call->loc, "let speculate( ) come first in its clause",
		    "speculate( ) may not follow data-recording actions");
	compile_number(s, row, call);
	s->speculated = true;
}

static void compile_commit(struct dt_sema *s, const struct dt_builtin *row, struct dt_node *call)
{
	if (s->committed)
		dt_fail(s->diag, D_COMM_COMM, call->loc, "commit( ) may not follow commit( ) in one clause");
	if (s->recorded)
		dt_fail_hint(s->diag, D_COMM_DREC, call->loc, "put the data-recording actions into a clause of their own",
		    "commit( ) may not follow data-recording actions");
	compile_number(s, row, call);
	s->committed = true;
}

static void compile_setopt(struct dt_sema *s, const struct dt_builtin *row, struct dt_node *call)
{
	struct dt_act *act;

	plain_args(s, row, call);
	for (const struct dt_node *a = call->list; a != NULL; a = a->next) {
		act = dt_act_expr(s, DT_ACT_LIBACT, a);
		act->arg = DT_LIB_SETOPT;
	}
}

static void compile_ftruncate(struct dt_sema *s, const struct dt_builtin *row, struct dt_node *call)
{
	plain_args(s, row, call);
	dt_act_const(s, DT_ACT_LIBACT, 0, 4, call->loc)->arg = DT_LIB_FTRUNCATE;
}

#define ROW(n, f, i, p, v, c) { .name = n, .kind = DT_BI_ACTION, .flags = f, .id = i, .proto = p, \
	.attr = DT_ATTR_STABLE_COMMON, .version = v, .compile = c }
#define DEST DT_BF_DESTRUCTIVE

const struct dt_builtin dt_builtin_actions_control[] = {
	ROW("exit", DT_BF_RECORDS, DT_ACT_EXIT, "void(int)", DT_VERS(1, 0, 0), compile_number),
	ROW("speculate", 0, DT_ACT_SPECULATE, "void(int)", DT_VERS(1, 0, 0), compile_speculate),
	ROW("commit", 0, DT_ACT_COMMIT, "void(int)", DT_VERS(1, 0, 0), compile_commit),
	ROW("discard", 0, DT_ACT_DISCARD, "void(int)", DT_VERS(1, 0, 0), compile_number),
	ROW("setopt", DT_BF_RECORDS, DT_ACT_LIBACT, "void(string, [string])", DT_VERS(1, 2, 0), compile_setopt),
	ROW("ftruncate", DT_BF_RECORDS, DT_ACT_LIBACT, "void()", DT_VERS(1, 0, 0), compile_ftruncate),
	ROW("stop", DEST, DT_ACT_STOP, "void()", DT_VERS(1, 0, 0), compile_number),
	ROW("raise", DEST, DT_ACT_RAISE, "void(int)", DT_VERS(1, 0, 0), compile_number),
	ROW("chill", DEST, DT_ACT_CHILL, "void(int)", DT_VERS(1, 0, 0), compile_number),
	{ .name = "panic", .kind = DT_BI_ACTION, .flags = DEST, .id = DT_ACT_PANIC, .proto = "void()",
	    .attr = DT_ATTR_STABLE_COMMON,
	    .unsupported = "a tracing program cannot crash an unmodified kernel; write c to /proc/sysrq-trigger from system( )" },
	{ .name = "breakpoint", .kind = DT_BI_ACTION, .flags = DEST, .id = DT_ACT_BREAKPOINT, .proto = "void()",
	    .attr = DT_ATTR_STABLE_COMMON,
	    .unsupported = "a tracing program cannot enter the kernel debugger; write g to /proc/sysrq-trigger from system( )" },
	{ 0 },
};
