/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Calls. The prototype of a row is D text, "string(uintptr_t, [size_t])": the result type, then the
 * parameters. [x] is optional, ... takes any number, @ is an aggregation, * is any value.
 */
#include "dif/action.h"
#include "sema/sema.h"

#include <stdio.h>

unsigned dt_call_nargs(const struct dt_node *call)
{
	unsigned n = 0;

	for (const struct dt_node *a = call->list; a != NULL; a = a->next)
		n++;
	return n;
}

/* One parameter, as a slice of the prototype's text. */
struct param {
	const char *text;
	size_t len;
	bool optional;
};

/* The next parameter of "(a, [b], ...)"; *p is after "(" or ",". False at the end. */
static bool next_param(const char **p, struct param *out)
{
	const char *t = *p, *end;
	int depth = 0;

	t += strspn(t, " ,");
	if (*t == '\0' || *t == ')')
		return false;
	out->optional = *t == '[';
	t += out->optional;
	for (end = t; *end != '\0'; end++) {
		if (depth == 0 && (*end == ',' || *end == ')' || (out->optional && *end == ']')))
			break;
		depth += *end == '(' ? 1 : *end == ')' ? -1 : 0;
	}
	out->text = t;
	out->len = (size_t)(end - t);
	*p = out->optional && *end == ']' ? end + 1 : end;
	return true;
}

/* The text after "("; the end of the text if there are no parameters. */
static const char *param_list(const char *proto)
{
	const char *p = strchr(proto, '(');

	return p != NULL ? p + 1 : proto + strlen(proto);
}

/* *most is 255 if the prototype ends in "...". */
static void count_params(const char *proto, unsigned *least, unsigned *most)
{
	const char *p = param_list(proto);
	struct param param;

	*least = *most = 0;
	while (next_param(&p, &param)) {
		if (param.len == 3 && memcmp(param.text, "...", 3) == 0) {
			*most = 255;
			return;
		}
		if (param.len == 4 && memcmp(param.text, "void", 4) == 0)
			continue;
		++*most;
		*least += !param.optional;
	}
}

/* The message names the limit that was missed. */
static void check_count(struct dt_sema *s, const struct dt_node *call, const struct dt_builtin *row)
{
	unsigned least, most, n = dt_call_nargs(call);

	count_params(row->proto, &least, &most);
	if (n >= least && n <= most)
		return;
	dt_fail_hint(s->diag, D_PROTO_LEN, call->loc,
	    strcmp(row->name, "exit") == 0 ? "exit(0) ends with status 0" : NULL,
	    "%s( ) prototype mismatch: %u arg%s passed, %s%u expected", row->name, n, n == 1 ? "" : "s",
	    least == most ? "" :
		n < least ? "at least " :
			    "at most ",
	    n < least ? least : most);
}

/* An address may stand for its number, and for void * a number may stand for an address. */
static bool address_fits(const struct dt_type *want, const struct dt_node *arg)
{
	const struct dt_type *w = dt_type_base(want);

	if (w->kind == DT_T_INT && w->size == 8)
		return dt_type_is_pointer(arg->type);
	return w->kind == DT_T_PTR && dt_type_is_void(w->ref) &&
	    (dt_type_is_string(arg->type) ||
		(dt_type_is_integer(arg->type) && dt_type_base(arg->type)->size == 8));
}

/* Checks one argument against its parameter and inserts the cast it needs. */
static struct dt_node *fit_argument(struct dt_sema *s, const struct dt_builtin *row, unsigned i,
    const struct param *param, struct dt_node *arg)
{
	const struct dt_type *want;

	if (param->len == 1 && (*param->text == '*' || *param->text == '@'))
		return arg;
	want = dt_sema_text_type(s, param->text, param->len);
	if (!dt_compat_arg(s, want, arg) && !address_fits(want, arg))
		dt_fail(s->diag, D_PROTO_ARG, arg->loc,
		    "%s( ) argument #%u is incompatible with prototype:\n\tprototype: %s\n\t argument: %s",
		    row->name, i + 1, dt_type_str(s->arena, want), dt_type_str(s->arena, arg->type));
	if (dt_type_is_string(want)) {
		if (arg->nflags & DT_NF_USER)
			return dt_expr_copyinstr(s, arg);
		return dt_type_is_string(arg->type) ? arg : dt_expr_convert(s, arg, want);
	}
	return dt_type_is_integer(want) && dt_type_is_integer(arg->type) ? dt_expr_convert(s, arg, want) :
									   arg;
}

/* Checks the arguments, which are typed, against the prototype of the row. */
void dt_call_check(struct dt_sema *s, struct dt_node *call, const struct dt_builtin *row)
{
	const char *p = param_list(row->proto);
	struct param param;
	unsigned i = 0;

	check_count(s, call, row);
	/* fit_argument() may replace a node, so the list is unlinked and linked again around it. */
	for (struct dt_node **a = &call->list; *a != NULL; a = &(*a)->next, i++) {
		struct dt_node *arg = *a, *next = arg->next;

		if (!next_param(&p, &param) || (param.len == 3 && memcmp(param.text, "...", 3) == 0))
			return;
		arg->next = NULL;
		*a = fit_argument(s, row, i, &param, arg);
		(*a)->next = next;
	}
}

/* The type of stack(), sym() and the like, which may be keys and have a value nowhere else. NULL: none. */
const struct dt_type *dt_call_keytype(struct dt_sema *s, const struct dt_builtin *row)
{
	if (row->kind != DT_BI_ACTION || !(row->flags & DT_BF_KEY))
		return NULL;
	return dt_types_special(s->types, dt_actions[DT_ACT_INDEX(row->id)]->keytype);
}

static bool is_function(const struct dt_builtin *row)
{
	return row->kind == DT_BI_SUBR || row->kind == DT_BI_ACTION || row->kind == DT_BI_AGGFUNC;
}

/* Suggests functions only: a variable cannot be called. */
_Noreturn static void undefined_function(struct dt_sema *s, const struct dt_node *callee)
{
	const struct dt_builtin *row;
	struct dt_near near;

	dt_near_init(&near, callee->name);
	for (size_t at = 0; (row = dt_builtin_next(&at)) != NULL; )
		if (is_function(row) && row->unsupported == NULL)
			dt_near_offer(&near, row->name);
	dt_fail_hint(s->diag, D_FUNC_UNDEF, callee->loc,
	    dt_names_hint(s, callee->name, near.best),
	    "undefined function name: %s", callee->name);
}

/* Only a name can be called: DIF has no indirect calls. */
static struct dt_ident *callee_of(struct dt_sema *s, struct dt_node *call)
{
	struct dt_ident *id;

	if (call->a->kind != DT_N_IDENT)
		dt_fail(s->diag, D_FUNC_IDENT, call->a->loc,
		    "function designator is not of function type: only a name can be called");
	id = dt_names_global(s, call->a->name);
	if (id == NULL)
		undefined_function(s, call->a);
	if (id->kind != DT_ID_FUNC)
		dt_fail(s->diag, D_FUNC_IDKIND, call->a->loc, "%s is not a function", call->a->name);
	if (id->row->unsupported != NULL)
		dt_fail(s->diag, D_UNKNOWN, call->a->loc, "%s( ) is not available on Linux: %s", id->name,
		    id->row->unsupported);
	return id;
}

/* Arguments are typed and fitted to the prototype; the result has the type before its parenthesis. */
static struct dt_node *subroutine_call(struct dt_sema *s, struct dt_node *n)
{
	const struct dt_builtin *row = n->ident->row;
	const char *open = strchr(row->proto, '(');

	for (struct dt_node **a = &n->list; *a != NULL; a = &(*a)->next) {
		struct dt_node *next = (*a)->next;

		*a = dt_expr_value(s, dt_expr(s, *a));
		(*a)->next = next;
	}
	dt_call_check(s, n, row);
	/* Each argument takes a tuple register. */
	if (dt_call_nargs(n) > DT_DIF_NTREGS || (s->cc->tregs != 0 && dt_call_nargs(n) > s->cc->tregs))
		dt_fail(s->diag, D_NOREG, n->loc, "%s( ) needs more tuple registers than there are",
		    row->name);
	if (strcmp(row->name, "alloca") == 0 && dt_node_is_const(n->list) &&
	    n->list->value > s->cc->scratchsize)
		dt_fail(s->diag, D_ALLOCA_SIZE, n->list->loc,
		    "alloca(%llu) exceeds the scratch space of %u bytes (-x scratchsize)",
		    (unsigned long long)n->list->value, s->cc->scratchsize);
	n->type = dt_sema_text_type(s, row->proto, (size_t)(open - row->proto));
	if (row->flags & DT_BF_ALLOCA)
		n->nflags |= DT_NF_ALLOCA;
	if (row->flags & DT_BF_DESTRUCTIVE) {
		dt_act_plain(s, n->loc, row);
		s->destructive = true;
	}
	dt_expr_object(s, n);
	return n;
}

/*
 * Subroutines are typed here. An action is only marked: its type is void, or the type it has as a key.
 * Callers that need a value refuse it; statements and key lists compile it.
 */
struct dt_node *dt_expr_call(struct dt_sema *s, struct dt_node *n)
{
	const struct dt_type *key;

	n->ident = callee_of(s, n);
	dt_attr_use(s, n->ident->attr, n->loc, n->ident->name);
	if (n->ident->row->kind == DT_BI_SUBR)
		return subroutine_call(s, n);
	key = dt_call_keytype(s, n->ident->row);
	n->type = key != NULL ? key : dt_types_void(s->types);
	return n;
}

/* Builds a call that no text contains; the caller guarantees that the arguments fit. */
static struct dt_node *made_call(struct dt_sema *s, const char *name, struct dt_node *args,
    const struct dt_type *type)
{
	struct dt_node *call = dt_node_new(s->diag, s->arena, DT_N_CALL, args->loc);

	call->ident = dt_names_global(s, name);
	call->list = args;
	call->type = type;
	for (struct dt_node *a = args; a != NULL; a = a->next)
		dt_node_adopt(s->diag, call, a);
	dt_expr_object(s, call);
	return call;
}

/* The operand's place in its list is kept. */
struct dt_node *dt_expr_copyinstr(struct dt_sema *s, struct dt_node *n)
{
	struct dt_node *next = n->next, *call;

	n->next = NULL;
	if (!dt_type_is_pointer(n->type) && !dt_type_is_integer(n->type))
		n->type = dt_types_sized(s->types, 8, false);
	call = made_call(s, "copyinstr", n, dt_types_string(s->types));
	call->next = next;
	return call;
}

/* strjoin(n, lltostr(pid)) */
struct dt_node *dt_expr_with_pid(struct dt_sema *s, struct dt_node *n)
{
	struct dt_node *pid = dt_node_new(s->diag, s->arena, DT_N_IDENT, n->loc), *next = n->next, *call;

	pid->name = "pid";
	pid = dt_expr(s, pid);
	n->next = made_call(s, "lltostr", pid, dt_types_string(s->types));
	call = made_call(s, "strjoin", n, dt_types_string(s->types));
	call->next = next;
	return call;
}

struct dt_node *dt_expr_copyin(struct dt_sema *s, struct dt_node *addr, uint64_t size)
{
	struct dt_node *call;

	addr->next = dt_expr_int(s, addr->loc, size, dt_types_sized(s->types, 8, false));
	call = made_call(s, "copyin", addr, dt_type_ptr(s->types, dt_types_void(s->types)));
	call->nflags |= DT_NF_ALLOCA;
	return call;
}
