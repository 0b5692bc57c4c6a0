/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Actions on whole aggregations: printa, clear, trunc, normalize, denormalize. In the kernel they only
 * record the number of the aggregation (and a second number), and the clause closes a generation
 * (bpf/generation.c). They act when that record is consumed, in the order of the records, on what was added
 * up to that generation.
 */
#include "builtin/act_common.h"

#include "output/format.h"

#include <stdlib.h>

/* ---- compiling ---- */

/* The action that names the aggregation: its DIFO is a constant, the aggregation's number. */
static struct dt_act *agg_action(struct dt_sema *s, enum dt_actkind kind, const struct dt_ident *id,
    struct dt_loc loc)
{
	return dt_act_const(s, kind, id->id, 8, loc);
}

/*
 * Aggregations that one printa() prints side by side are joined by key, so their keys must agree. Integers
 * agree whatever their size.
 */
static void check_keys(struct dt_sema *s, const struct dt_ident *first, const struct dt_ident *id,
    struct dt_loc loc)
{
	if (first->nkeys != id->nkeys)
		dt_fail(s->diag, D_PRINTA_AGGKEY, loc,
		    "printa( ) @%s and @%s do not have the same number of keys", first->name, id->name);
	for (uint32_t i = 0; i < id->nkeys; i++)
		if (!dt_compat_types(first->keys[i], id->keys[i]) &&
		    !(dt_type_is_integer(first->keys[i]) && dt_type_is_integer(id->keys[i])))
			dt_fail(s->diag, D_PRINTA_AGGPROTO, loc,
			    "printa( ) @%s[ ] key #%u is incompatible with @%s:\n%10s: %s\n%10s: %s",
			    id->name, i + 1, first->name, first->name, dt_type_str(s->arena, first->keys[i]),
			    id->name, dt_type_str(s->arena, id->keys[i]));
}

/*
 * The format is parsed and checked against the keys now, so that printing cannot meet a format that does not
 * fit.
 */
static const char *printa_format(struct dt_sema *s, struct dt_node *fmt, const struct dt_ident *first)
{
	struct dt_format_error err;
	struct dt_format *format;

	if (fmt->slen == 0)
		dt_fail(s->diag, D_PRINTF_FMT_EMPTY, fmt->loc, "printa( ) format string is empty");
	if (memchr(fmt->str, '\0', fmt->slen) != NULL)
		dt_fail(s->diag, D_PRINTF_ARG_FMT, fmt->loc,
		    "printa( ) format may not contain a NUL character");
	format = dt_format_parse(s->arena, fmt->str, fmt->slen, &err);
	if (format == NULL)
		dt_fail(s->diag, err.tag, fmt->loc, "%s", err.msg);
	if (!dt_format_check(format, "printa", s->types, first->keys, first->nkeys, true, &err))
		dt_fail(s->diag, err.tag, fmt->loc, "%s", err.msg);
	return fmt->str;
}

/* printa([format,] @a, ...): one action for each aggregation. The first one carries the format. */
static void printa_compile(struct dt_sema *s, const struct dt_builtin *row, struct dt_node *call)
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
	} else if (a != NULL && !dt_node_is_agg(a) && a->next != NULL) {
		dt_fail(s->diag, D_PRINTF_ARG_FMT, a->loc, "printa( ) format must be a string constant");
	}
	if (a == NULL)
		dt_fail(s->diag, D_PRINTA_PROTO, call->loc,
		    "printa( ) prototype mismatch: it needs an aggregation");
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

/* Each action has error tags of its own, which are historic. */
struct agg_tags { enum dt_tag proto, aggarg, aggbad, scalar; };

/*
 * The common part of clear(), trunc(), normalize() and denormalize(): an aggregation and, if `most` is 2, a
 * number.
 */
static void compile_library_action(struct dt_sema *s, const struct dt_builtin *row, struct dt_node *call,
    enum dt_libact what, unsigned least, unsigned most, struct agg_tags tags)
{
	const struct dt_ident *id;
	struct dt_node *n;
	unsigned nargs;

	dt_act_args(s, call, false);
	nargs = dt_call_nargs(call);
	if (nargs < least || nargs > most)
		dt_fail(s->diag, tags.proto, call->loc,
		    "%s( ) prototype mismatch: %u args passed, %u%s expected", row->name, nargs, least,
		    most > least ? " or 2" : "");
	id = dt_act_agg(s, call->list, tags.aggarg, tags.aggbad, row->name);
	agg_action(s, DT_ACT_LIBACT, id, call->list->loc)->arg = what;
	n = call->list->next;
	if (n == NULL)
		return;
	if (dt_node_is_agg(n) || n->kind == DT_N_XLATE || !dt_type_is_scalar(n->type))
		dt_fail(s->diag, tags.scalar, n->loc, "%s( ) argument #2 must be a number", row->name);
	dt_act_expr(s, DT_ACT_LIBACT, n)->arg = what;
}

static void clear_compile(struct dt_sema *s, const struct dt_builtin *row, struct dt_node *call)
{
	compile_library_action(s, row, call, DT_LIB_CLEAR, 1, 1,
	    (struct agg_tags){ D_CLEAR_PROTO, D_CLEAR_AGGARG, D_CLEAR_AGGBAD, D_CLEAR_PROTO });
}

static void trunc_compile(struct dt_sema *s, const struct dt_builtin *row, struct dt_node *call)
{
	compile_library_action(s, row, call, DT_LIB_TRUNC, 1, 2,
	    (struct agg_tags){ D_TRUNC_PROTO, D_TRUNC_AGGARG, D_TRUNC_AGGBAD, D_TRUNC_SCALAR });
}

static void normalize_compile(struct dt_sema *s, const struct dt_builtin *row, struct dt_node *call)
{
	compile_library_action(s, row, call, DT_LIB_NORMALIZE, 2, 2,
	    (struct agg_tags){
		D_NORMALIZE_PROTO, D_NORMALIZE_AGGARG, D_NORMALIZE_AGGBAD, D_NORMALIZE_SCALAR });
}

static void denormalize_compile(struct dt_sema *s, const struct dt_builtin *row, struct dt_node *call)
{
	compile_library_action(s, row, call, DT_LIB_DENORMALIZE, 1, 1,
	    (struct agg_tags){
		D_NORMALIZE_PROTO, D_NORMALIZE_AGGARG, D_NORMALIZE_AGGBAD, D_NORMALIZE_PROTO });
}

/* ---- printa ---- */

/* Without a format a table follows a newline, which ends the line of the firing. */
static void printa_text(struct dt_statements *s, const struct dt_rec *recs, size_t n)
{
	const int64_t *ids = dt_statement_ids(s, recs, n);
	struct dt_format *f = recs[0].act->fmt != NULL ? dt_statement_format(s, recs[0].act->fmt) : NULL;
	struct dt_aggrow *rows;
	size_t nrows;

	if (s->ops.rows != NULL && (rows = s->ops.rows(s->ops.ctx, ids, (uint32_t)n, &nrows)) != NULL) {
		if (f != NULL) {
			dt_agg_printf(s->out, f, rows, nrows);
		} else {
			dt_out_str(s->out, "\n");
			dt_agg_print(s->out, rows, nrows);
		}
	}
}

/* The elements get a line of their own, which follows that of the firing. */
static void put_rows(struct dt_json_firing *f, const struct dt_format *format, const int64_t *ids,
    uint32_t nids, const struct dt_aggrow *rows, size_t n)
{
	struct dt_json j = { .o = &f->sink->after };

	dt_json_open(&j, '{');
	dt_json_key(&j, "type");
	dt_json_str(&j, "aggregation");
	dt_json_probe(&j, f->probe);
	dt_json_agg(f->sink, &j, format, ids, nids, rows, n);
	dt_json_close(&j, '}');
	dt_out_str(j.o, "\n");
}

/* The firing shows that printa() was called; the rows are a line of their own (put_rows()). */
static void printa_json(struct dt_json_firing *f, const char *name, const struct dt_rec *recs, size_t n)
{
	struct dt_statements *s = f->sink->statements;
	const char *text = recs[0].act->fmt;
	struct dt_format *format = text != NULL ? dt_statement_format(s, text) : NULL;
	const int64_t *ids = dt_statement_ids(s, recs, n);
	struct dt_aggrow *rows = NULL;
	size_t nrows = 0;

	dt_json_action_open(f, name);
	if (text != NULL) {
		dt_json_key(f->j, "format");
		dt_json_str(f->j, text);
	}
	dt_json_action_close(f);
	if (s->ops.rows != NULL)
		rows = s->ops.rows(s->ops.ctx, ids, (uint32_t)n, &nrows);
	if (rows != NULL)
		put_rows(f, format, ids, (uint32_t)n, rows, nrows);
	else
		f->j->o->failed = true;
}

/* ---- clear, trunc, normalize, denormalize ---- */

static void clear_do(struct dt_statements *s, const struct dt_rec *recs, size_t n)
{
	(void)n;
	if (s->ops.clear != NULL)
		s->ops.clear(s->ops.ctx, dt_rec_int(&recs[0]));
}

/* Without a number all elements go: trunc(@a) is trunc(@a, 0). */
static void trunc_do(struct dt_statements *s, const struct dt_rec *recs, size_t n)
{
	if (s->ops.trunc != NULL)
		s->ops.trunc(s->ops.ctx, dt_rec_int(&recs[0]), n > 1 ? dt_rec_int(&recs[1]) : 0);
}

static void normalize_do(struct dt_statements *s, const struct dt_rec *recs, size_t n)
{
	if (s->ops.normalize != NULL)
		s->ops.normalize(s->ops.ctx, dt_rec_int(&recs[0]), n > 1 ? dt_rec_int(&recs[1]) : 0);
}

/* To divide by 1 is to normalize no more. */
static void denormalize_do(struct dt_statements *s, const struct dt_rec *recs, size_t n)
{
	(void)n;
	if (s->ops.normalize != NULL)
		s->ops.normalize(s->ops.ctx, dt_rec_int(&recs[0]), 1);
}

/* Shows what was asked for, then does it: a sink must not lose the effect. */
static void agg_json(struct dt_json_firing *f, const char *name, const struct dt_rec *recs, size_t n)
{
	const char *agg = f->sink->aggname != NULL ? f->sink->aggname(f->sink->ctx, dt_rec_int(&recs[0])) :
						     NULL;

	dt_json_action_open(f, name);
	dt_json_key(f->j, "aggregation");
	dt_json_str(f->j, agg != NULL ? agg : "");
	dt_json_action_args(f, recs + 1, n - 1);
	dt_json_action_close(f);
	dt_json_action_do(f, recs, n);
}

/* All of them record, and have been there since 1.0. */
#define NAME(n, i, p, c, d) .names = DT_ACT_NAMES(DT_ACT_NAME(n, DT_BF_RECORDS, i, p, DT_VERS(1, 0, 0), c, d))

const struct dt_action dt_action_PRINTA = {
	NAME("printa", DT_ACT_PRINTA, "void(...)", printa_compile,
	    "prints aggregations, by a format or without"),
	.shape = DT_SHAPE_AGGREGATION,
	.facts = DT_AF_SHOWS_AGGS | DT_AF_FORMAT,
	DT_ACT_BY_TYPE,
	.text = printa_text,
	.json = printa_json,
};

const struct dt_action dt_action_LIB_CLEAR = {
	NAME("clear", DT_ACT_LIBACT, "void(@)", clear_compile,
	    "sets the values of an aggregation back, and keeps its keys"),
	.shape = DT_SHAPE_EFFECT,
	.facts = DT_AF_OURS | DT_AF_SHOWS_AGGS,
	DT_ACT_BY_TYPE,
	.text = clear_do,
	.json = agg_json,
};

const struct dt_action dt_action_LIB_TRUNC = {
	NAME("trunc", DT_ACT_LIBACT, "void(@, [int])", trunc_compile,
	    "removes the elements of an aggregation, or all but some"),
	.shape = DT_SHAPE_EFFECT,
	.facts = DT_AF_OURS | DT_AF_SHOWS_AGGS,
	DT_ACT_BY_TYPE,
	.text = trunc_do,
	.json = agg_json,
};

const struct dt_action dt_action_LIB_NORMALIZE = {
	NAME("normalize", DT_ACT_LIBACT, "void(@, uint64_t)", normalize_compile,
	    "divides what is shown of an aggregation"),
	.shape = DT_SHAPE_EFFECT,
	.facts = DT_AF_OURS,
	DT_ACT_BY_TYPE,
	.text = normalize_do,
	.json = agg_json,
};

const struct dt_action dt_action_LIB_DENORMALIZE = {
	NAME("denormalize", DT_ACT_LIBACT, "void(@)", denormalize_compile, "ends normalize( )"),
	.shape = DT_SHAPE_EFFECT,
	.facts = DT_AF_OURS,
	DT_ACT_BY_TYPE,
	.text = denormalize_do,
	.json = agg_json,
};
