/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * printf(), system(), freopen(): a format and its values. The text is printed, or is what to do. The kernel
 * records only the values; the format stays with the first action of the statement, and the text is made when
 * the record is consumed.
 */
#include "builtin/act_common.h"

#include "output/format.h"

/* ---- compiling ---- */

/*
 * The format of a call, which must be a constant that can be parsed. Only freopen("") may be empty: it goes
 * back to the original output.
 */
static const char *format_text(struct dt_sema *s, const struct dt_builtin *row, struct dt_node *call,
    struct dt_format **format)
{
	struct dt_node *fmt = call->list;
	struct dt_format_error err;

	if (fmt == NULL)
		dt_fail(s->diag, D_PROTO_LEN, call->loc,
		    "%s( ) prototype mismatch: 0 args passed, at least 1 expected", row->name);
	if (fmt->kind != DT_N_STR)
		dt_fail(s->diag, D_PRINTF_ARG_FMT, fmt->loc, "%s( ) format must be a string constant",
		    row->name);
	if (fmt->slen == 0 && row->id != DT_ACT_FREOPEN)
		dt_fail(s->diag, D_PRINTF_FMT_EMPTY, fmt->loc, "%s( ) format string is empty", row->name);
	if (memchr(fmt->str, '\0', fmt->slen) != NULL)
		dt_fail(s->diag, D_PRINTF_ARG_FMT, fmt->loc, "%s( ) format may not contain a NUL character",
		    row->name);
	*format = dt_format_parse(s->arena, fmt->str, fmt->slen, &err);
	if (*format == NULL)
		dt_fail(s->diag, err.tag, fmt->loc, "%s", err.msg);
	return fmt->str;
}

/* The values against the conversions. An error points at the argument that is wrong, else at the format. */
static void check_arguments(struct dt_sema *s, const struct dt_builtin *row, const struct dt_format *format,
    const struct dt_node *fmt, struct dt_node *args)
{
	const struct dt_type **types;
	struct dt_format_error err;
	struct dt_node *a;
	uint32_t n = 0;

	for (a = args; a != NULL; a = a->next, n++) {
		if (dt_node_is_agg(a))
			dt_fail_hint(s->diag, D_PRINTF_ARG_TYPE, a->loc, "print aggregations with printa( )",
			    "%s( ) argument #%u may not be an aggregation", row->name, n + 2);
	}
	types = DT_NEWN(s->arena, const struct dt_type *, n + 1);
	n = 0;
	for (a = args; a != NULL; a = a->next)
		types[n++] = a->type;
	if (dt_format_check(format, row->name, s->types, types, n, false, &err))
		return;
	for (a = err.arg >= 0 ? args : NULL; a != NULL && err.arg-- > 0; a = a->next)
		;
	dt_fail_hint(s->diag, err.tag, a != NULL ? a->loc : fmt->loc, err.hint, "%s", err.msg);
}

/*
 * One action for each value. The first one carries the format; if there is no value, or the first is a stack
 * or symbol, which record in their own way, an action without data comes first and carries it. Translated
 * values are made whole, because a record needs bytes.
 */
void dt_act_compile_printf(struct dt_sema *s, const struct dt_builtin *row, struct dt_node *call)
{
	struct dt_format *format;
	struct dt_node *args;
	struct dt_act *act;
	const char *text;
	size_t first = s->acts.n;

	dt_act_args(s, call, true);
	text = format_text(s, row, call, &format);
	args = call->list->next;
	for (struct dt_node **a = &call->list->next; *a != NULL; a = &(*a)->next)
		if ((*a)->kind == DT_N_XLATE) {
			struct dt_node *next = (*a)->next;

			*a = dt_expr_xwhole(s, *a);
			(*a)->next = next;
		}
	args = call->list->next;
	check_arguments(s, row, format, call->list, args);
	if (row->id == DT_ACT_FREOPEN && args == NULL && strcmp(text, ".") == 0)
		dt_fail(s->diag, D_FREOPEN_INVALID, call->list->loc,
		    "freopen( ) argument #1 cannot be \".\"");
	if (args == NULL || dt_node_is_key(s, args)) {
		act = dt_act_const(s, row->id, 0, 0, call->loc);
		act->difo = dt_difo_void(s->keep, act->difo);
	}
	for (struct dt_node *a = args; a != NULL; a = a->next)
		dt_act_value(s, row->id, a);
	s->acts.v[first].fmt = text;
	if (row->flags & DT_BF_DESTRUCTIVE)
		s->destructive = true;
}

/* ---- for those who print ---- */

static void printf_text(struct dt_statements *s, const struct dt_rec *recs, size_t n)
{
	dt_statement_text(s, s->out, recs, n);
}

/* system() and freopen(): makes the text and gives it to the function that does it. */
static void do_with_text(struct dt_statements *s, const struct dt_rec *recs, size_t n,
    void (*f)(void *, const char *))
{
	struct dt_out text;

	if (f == NULL)
		return;
	dt_out_init(&text, NULL, s->out->opts);
	dt_statement_text(s, &text, recs, n);
	f(s->ops.ctx, dt_out_text(&text));
	dt_out_free(&text);
}

static void system_text(struct dt_statements *s, const struct dt_rec *recs, size_t n)
{
	do_with_text(s, recs, n, s->ops.system);
}

static void freopen_text(struct dt_statements *s, const struct dt_rec *recs, size_t n)
{
	do_with_text(s, recs, n, s->ops.freopen);
}

/* What printf() would have printed, as a member of the JSON object. */
static void put_json_text(struct dt_json_firing *f, const struct dt_rec *recs, size_t n)
{
	struct dt_out text;

	dt_out_init(&text, NULL, f->j->o->opts);
	dt_statement_text(f->sink->statements, &text, recs, n);
	dt_json_key(f->j, "text");
	dt_json_text(f->j, dt_out_text(&text), text.len);
	dt_out_free(&text);
}

/* The format, the text made of it, and the values by themselves. The caller closes the object. */
void dt_act_json_format(struct dt_json_firing *f, const char *name, const struct dt_rec *recs, size_t n)
{
	size_t first = dt_statement_bare(recs);

	dt_json_action_open(f, name);
	dt_json_key(f->j, "format");
	dt_json_str(f->j, recs[0].act->fmt != NULL ? recs[0].act->fmt : "");
	put_json_text(f, recs, n);
	dt_json_action_args(f, recs + first, n - first);
}

static void printf_json(struct dt_json_firing *f, const char *name, const struct dt_rec *recs, size_t n)
{
	dt_act_json_format(f, name, recs, n);
	dt_json_action_close(f);
}

/* Shows what was asked for, then does it. */
static void command_json(struct dt_json_firing *f, const char *name, const struct dt_rec *recs, size_t n)
{
	printf_json(f, name, recs, n);
	dt_json_action_do(f, recs, n);
}

#define REC DT_BF_RECORDS
#define DEST (DT_BF_RECORDS | DT_BF_DESTRUCTIVE)

const struct dt_action dt_action_PRINTF = {
	.names = DT_ACT_NAMES(DT_ACT_NAME("printf", REC, DT_ACT_PRINTF, "void(string, ...)", DT_VERS(1, 0, 0),
	    dt_act_compile_printf, "prints values by a format")),
	.facts = DT_AF_FORMAT | DT_AF_ALONE,
	.shape = DT_SHAPE_VALUES,
	DT_ACT_BY_TYPE,
	.text = printf_text,
	.json = printf_json,
};

const struct dt_action dt_action_SYSTEM = {
	.names = DT_ACT_NAMES(DT_ACT_NAME("system", DEST, DT_ACT_SYSTEM, "void(string, ...)",
	    DT_VERS(1, 0, 0), dt_act_compile_printf, "runs a shell command, made by a format")),
	.shape = DT_SHAPE_EFFECT,
	DT_ACT_BY_TYPE,
	.text = system_text,
	.json = command_json,
};

const struct dt_action dt_action_FREOPEN = {
	.names = DT_ACT_NAMES(DT_ACT_NAME("freopen", DEST, DT_ACT_FREOPEN, "void(string, ...)",
	    DT_VERS(1, 1, 0), dt_act_compile_printf,
	    "sends all further output to a file, whose name is made by a format; \"\" goes back")),
	.shape = DT_SHAPE_EFFECT,
	DT_ACT_BY_TYPE,
	.text = freopen_text,
	.json = command_json,
};
