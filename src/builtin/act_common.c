/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Actions while they are compiled: what several of them check. Errors go through dt_fail(), which does not
 * return.
 */
#include "builtin/act_common.h"

bool dt_node_is_agg(const struct dt_node *n)
{
	return n->kind == DT_N_AGG || (n->kind == DT_N_INDEX && n->a->kind == DT_N_AGG);
}

bool dt_node_is_key(struct dt_sema *s, const struct dt_node *n)
{
	return n->kind == DT_N_CALL && dt_call_keytype(s, n->ident->row) != NULL;
}

/*
 * dt_act_args() gives each argument its type first; the prototype is checked last, so that the special
 * refusals name what is really wrong.
 */
void dt_act_plain_args(struct dt_sema *s, const struct dt_builtin *row, struct dt_node *call)
{
	dt_act_args(s, call, false);
	for (const struct dt_node *a = call->list; a != NULL; a = a->next)
		if (dt_node_is_agg(a) || a->kind == DT_N_XLATE)
			dt_fail(s->diag, D_PROTO_ARG, a->loc, "%s( ) needs a plain value here", row->name);
	dt_call_check(s, call, row);
}

/* An action without an argument still needs an entry in the list of actions: it records nothing. */
void dt_act_compile_number(struct dt_sema *s, const struct dt_builtin *row, struct dt_node *call)
{
	dt_act_plain_args(s, row, call);
	if (call->list != NULL)
		dt_act_expr(s, row->id, call->list);
	else
		dt_act_add(s, row->id, call->loc);
}
