/* SPDX-License-Identifier: BSD-2-Clause */
/* Actions on whole aggregations: printa, clear, trunc, normalize, denormalize. They act when their record is consumed. */
#include "output/format.h"
#include "sema/sema.h"

/* The action that names the aggregation: its DIFO returns the id. */
static struct dt_act *agg_action(struct dt_sema *s, enum dt_actkind kind, const struct dt_ident *id, struct dt_loc loc)
{
	return dt_act_const(s, kind, id->id, 8, loc);
}

static bool is_agg(const struct dt_node *n)
{
	return n->kind == DT_N_AGG || (n->kind == DT_N_INDEX && n->a->kind == DT_N_AGG);
}

/* ---- printa ---- */

static void check_keys(struct dt_sema *s, const struct dt_ident *first, const struct dt_ident *id, struct dt_loc loc)
{
	if (first->nkeys != id->nkeys)
		dt_fail(s->diag, D_PRINTA_AGGKEY, loc, "printa( ) @%s and @%s do not have the same number of keys", first->name, id->name);
	for (uint32_t i = 0; i < id->nkeys; i++)
		if (!dt_compat_types(first->keys[i], id->keys[i]) &&
		    !(dt_type_is_integer(first->keys[i]) && dt_type_is_integer(id->keys[i])))
			dt_fail(s->diag, D_PRINTA_AGGPROTO, loc, "printa( ) @%s[ ] key #%u is incompatible with @%s:\n%10s: %s\n%10s: %s",
			    id->name, i + 1, first->name, first->name, dt_type_str(s->arena, first->keys[i]), id->name,
			    dt_type_str(s->arena, id->keys[i]));
}

static const char *printa_format(struct dt_sema *s, struct dt_node *fmt, const struct dt_ident *first)
{
	struct dt_format_error err;
	struct dt_format *format;

	if (fmt->slen == 0)
		dt_fail(s->diag, D_PRINTF_FMT_EMPTY, fmt->loc, "printa( ) format string is empty");
	if (memchr(fmt->str, '\0', fmt->slen) != NULL)
		dt_fail(s->diag, D_PRINTF_ARG_FMT, fmt->loc, "printa( ) format may not contain a NUL character");
	format = dt_format_parse(s->arena, fmt->str, fmt->slen, &err);
	if (format == NULL)
		dt_fail(s->diag, err.tag, fmt->loc, "%s", err.msg);
	if (!dt_format_check(format, "printa", s->types, first->keys, first->nkeys, true, &err))
		dt_fail(s->diag, err.tag, fmt->loc, "%s", err.msg);
	return fmt->str;
}

static void compile_printa(struct dt_sema *s, const struct dt_builtin *row, struct dt_node *call)
{
	struct dt_node *fmt = NULL, *a;
	const struct dt_ident *first = NULL;
	size_t at = s->acts.n;

	(void)row;
	dt_act_args(s, call, false);
	a = call->list;
	if (a != NULL && a->kind == DT_N_STR) {
		fmt = a;
		a = a->next;
	} else if (a != NULL && !is_agg(a) && a->next != NULL) {
		dt_fail(s->diag, D_PRINTF_ARG_FMT, a->loc, "printa( ) format must be a string constant");
	}
	if (a == NULL)
		dt_fail(s->diag, D_PRINTA_PROTO, call->loc, "printa( ) prototype mismatch: it needs an aggregation");
	for (; a != NULL; a = a->next) {
		const struct dt_ident *id = dt_act_agg(s, a, D_PRINTA_AGGARG, D_PRINTA_AGGBAD, "printa");

		if (first == NULL)
			first = id;
		check_keys(s, first, id, a->loc);
		agg_action(s, DT_ACT_PRINTA, id, a->loc);
	}
	if (fmt != NULL)
		s->acts.v[at].fmt = printa_format(s, fmt, first);
}

/* ---- clear, trunc, normalize, denormalize ---- */

struct agg_tags { enum dt_tag proto, aggarg, aggbad, scalar; };

static void library_action(struct dt_sema *s, const struct dt_builtin *row, struct dt_node *call, enum dt_libact what,
    unsigned least, unsigned most, struct agg_tags tags)
{
	const struct dt_ident *id;
	struct dt_node *n;
	unsigned nargs;

	dt_act_args(s, call, false);
	nargs = dt_call_nargs(call);
	if (nargs < least || nargs > most)
		dt_fail(s->diag, tags.proto, call->loc, "%s( ) prototype mismatch: %u args passed, %u%s expected", row->name, nargs, least,
		    most > least ? " or 2" : "");
	id = dt_act_agg(s, call->list, tags.aggarg, tags.aggbad, row->name);
	agg_action(s, DT_ACT_LIBACT, id, call->list->loc)->arg = what;
	n = call->list->next;
	if (n == NULL)
		return;
	if (is_agg(n) || n->kind == DT_N_XLATE || !dt_type_is_scalar(n->type))
		dt_fail(s->diag, tags.scalar, n->loc, "%s( ) argument #2 must be a number", row->name);
	dt_act_expr(s, DT_ACT_LIBACT, n)->arg = what;
}

static void compile_clear(struct dt_sema *s, const struct dt_builtin *row, struct dt_node *call)
{
	library_action(s, row, call, DT_LIB_CLEAR, 1, 1,
	    (struct agg_tags){ D_CLEAR_PROTO, D_CLEAR_AGGARG, D_CLEAR_AGGBAD, D_CLEAR_PROTO });
}

static void compile_trunc(struct dt_sema *s, const struct dt_builtin *row, struct dt_node *call)
{
	library_action(s, row, call, DT_LIB_TRUNC, 1, 2,
	    (struct agg_tags){ D_TRUNC_PROTO, D_TRUNC_AGGARG, D_TRUNC_AGGBAD, D_TRUNC_SCALAR });
}

static void compile_normalize(struct dt_sema *s, const struct dt_builtin *row, struct dt_node *call)
{
	library_action(s, row, call, DT_LIB_NORMALIZE, 2, 2,
	    (struct agg_tags){ D_NORMALIZE_PROTO, D_NORMALIZE_AGGARG, D_NORMALIZE_AGGBAD, D_NORMALIZE_SCALAR });
}

static void compile_denormalize(struct dt_sema *s, const struct dt_builtin *row, struct dt_node *call)
{
	library_action(s, row, call, DT_LIB_DENORMALIZE, 1, 1,
	    (struct agg_tags){ D_NORMALIZE_PROTO, D_NORMALIZE_AGGARG, D_NORMALIZE_AGGBAD, D_NORMALIZE_PROTO });
}

#define ROW(n, i, p, c) { .name = n, .kind = DT_BI_ACTION, .flags = DT_BF_RECORDS, .id = i, .proto = p, \
	.attr = DT_ATTR_STABLE_COMMON, .version = DT_VERS(1, 0, 0), .compile = c }

const struct dt_builtin dt_builtin_actions_agg[] = {
	ROW("printa", DT_ACT_PRINTA, "void(...)", compile_printa),
	ROW("clear", DT_ACT_LIBACT, "void(@)", compile_clear),
	ROW("trunc", DT_ACT_LIBACT, "void(@, [int])", compile_trunc),
	ROW("normalize", DT_ACT_LIBACT, "void(@, uint64_t)", compile_normalize),
	ROW("denormalize", DT_ACT_LIBACT, "void(@)", compile_denormalize),
	{ 0 },
};
