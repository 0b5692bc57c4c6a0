/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * setopt() and ftruncate(): what is done to the session while it runs. The kernel records the arguments; the
 * library acts when the record is consumed (trace/effects.c).
 */
#include "builtin/act_common.h"

/* One action for each argument: the name, and the value if there is one. */
static void setopt_compile(struct dt_sema *s, const struct dt_builtin *row, struct dt_node *call)
{
	struct dt_act *act;

	dt_act_plain_args(s, row, call);
	for (const struct dt_node *a = call->list; a != NULL; a = a->next) {
		act = dt_act_expr(s, DT_ACT_LIBACT, a);
		act->arg = DT_LIB_SETOPT;
	}
}

/* It has no argument, but needs a record to be consumed: a constant 0. */
static void ftruncate_compile(struct dt_sema *s, const struct dt_builtin *row, struct dt_node *call)
{
	dt_act_plain_args(s, row, call);
	dt_act_const(s, DT_ACT_LIBACT, 0, 4, call->loc)->arg = DT_LIB_FTRUNCATE;
}

static void setopt_do(struct dt_statements *s, const struct dt_rec *recs, size_t n)
{
	if (s->ops.setopt != NULL)
		s->ops.setopt(s->ops.ctx, recs[0].data, n > 1 ? recs[1].data : NULL);
}

static void ftruncate_do(struct dt_statements *s, const struct dt_rec *recs, size_t n)
{
	(void)recs, (void)n;
	if (s->ops.ftruncate != NULL)
		s->ops.ftruncate(s->ops.ctx);
}

const struct dt_action dt_action_LIB_SETOPT = {
	.names = DT_ACT_NAMES(DT_ACT_NAME("setopt", DT_BF_RECORDS, DT_ACT_LIBACT, "void(string, [string])",
	    DT_VERS(1, 2, 0), setopt_compile, "sets an option while tracing")),
	.shape = DT_SHAPE_EFFECT,
	.facts = DT_AF_OURS,
	DT_ACT_BY_TYPE,
	.text = setopt_do,
	.json = dt_json_action_plain,
};

const struct dt_action dt_action_LIB_FTRUNCATE = {
	.names = DT_ACT_NAMES(DT_ACT_NAME("ftruncate", DT_BF_RECORDS, DT_ACT_LIBACT, "void()",
	    DT_VERS(1, 0, 0), ftruncate_compile, "empties the output file, where output goes to one")),
	.shape = DT_SHAPE_EFFECT,
	.facts = DT_AF_OURS,
	DT_ACT_BY_TYPE,
	.text = ftruncate_do,
	.json = dt_json_action_plain,
};
