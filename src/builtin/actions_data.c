/* SPDX-License-Identifier: BSD-2-Clause */
/* Actions that record data: trace, print, printf, tracemem, stacks and symbols. */
#include "output/format.h"
#include "sema/sema.h"

#define EV DT_ATTR_STABLE_COMMON

static bool is_agg(const struct dt_node *n)
{
	return n->kind == DT_N_AGG || (n->kind == DT_N_INDEX && n->a->kind == DT_N_AGG);
}

static bool is_key_action(struct dt_sema *s, const struct dt_node *n)
{
	return n->kind == DT_N_CALL && dt_call_keytype(s, n->ident->row) != NULL;
}

/* ---- trace, print ---- */

struct value_tags { enum dt_tag agg, dyn, none; };

/* The one argument of trace() or print(), refused where it is no value that can be recorded. */
static struct dt_node *one_value(struct dt_sema *s, const struct dt_builtin *row, struct dt_node *call, struct value_tags tags)
{
	struct dt_node *n;

	dt_act_args(s, call, true);
	if (dt_call_nargs(call) != 1)
		dt_fail(s->diag, D_PROTO_LEN, call->loc, "%s( ) prototype mismatch: %u args passed, 1 expected", row->name,
		    dt_call_nargs(call));
	n = call->list;
	if (is_agg(n))
		dt_fail_hint(s->diag, tags.agg, n->loc, "print it with printa( )", "%s( ) may not be applied to an aggregation", row->name);
	if (n->kind == DT_N_XLATE && dt_type_is_pointer(n->type))
		dt_fail_hint(s->diag, tags.dyn, n->loc, "write * before it for the whole object, or name one of its members", "%s( ) may not be applied to a translated pointer",
		    row->name);
	if (n->kind == DT_N_XLATE)
		n = dt_expr_xwhole(s, n);
	if (dt_type_is_void(n->type))
		dt_fail(s->diag, tags.none, n->loc, "%s( ) may not be applied to a void expression", row->name);
	return n;
}

/* Arrays and structs in memory are recorded whole; one of unknown size cannot be. */
static void check_size(struct dt_sema *s, const struct dt_builtin *row, const struct dt_node *n, enum dt_tag tag)
{
	if (!is_key_action(s, n) && dt_type_base(n->type)->kind != DT_T_FUNC && dt_type_size(s->types, n->type) == 0)
		dt_fail(s->diag, tag, n->loc, "%s( ): the size of \"%s\" is not known", row->name, dt_type_str(s->arena, n->type));
}

static void compile_trace(struct dt_sema *s, const struct dt_builtin *row, struct dt_node *call)
{
	struct dt_node *n = one_value(s, row, call, (struct value_tags){ D_TRACE_AGG, D_TRACE_DYN, D_TRACE_VOID });

	check_size(s, row, n, D_TRACE_VOID);
	dt_act_value(s, DT_ACT_DIFEXPR, n);
}

static bool is_object_pointer(struct dt_sema *s, const struct dt_node *n)
{
	const struct dt_type *t = dt_type_base(n->type);

	return t->kind == DT_T_PTR && dt_type_base(t->ref)->kind != DT_T_FUNC && dt_type_size(s->types, t->ref) != 0;
}

static struct dt_node *hidden_variable(struct dt_sema *s, struct dt_ident *id, const struct dt_node *n)
{
	struct dt_node *var = dt_node_new(s->diag, s->arena, DT_N_VAR, n->loc);

	var->scope = DT_SCOPE_CLAUSE;
	var->name = id->name;
	var->ident = id;
	var->type = id->type;
	var->nflags = DT_NF_LVAL | DT_NF_WRITABLE | (n->nflags & (DT_NF_USER | DT_NF_ALLOCA));
	return var;
}

/* The pointer is evaluated once: its value is kept in a variable of our own for the object to be found by. */
static struct dt_node *keep_pointer(struct dt_sema *s, struct dt_node *n, struct dt_node **object)
{
	struct dt_ident *id = dt_names_hidden(s, "print", n->type);
	struct dt_node *assign = dt_node_new(s->diag, s->arena, DT_N_ASSIGN, n->loc);

	assign->a = hidden_variable(s, id, n);
	assign->b = n;
	assign->type = n->type;
	assign->nflags = n->nflags & (DT_NF_USER | DT_NF_ALLOCA);
	dt_node_adopt(s->diag, assign, n);
	*object = dt_node_new(s->diag, s->arena, DT_N_UNARY, n->loc);
	(*object)->op = DT_OP_DEREF;
	(*object)->a = hidden_variable(s, id, n);
	dt_node_adopt(s->diag, *object, (*object)->a);
	*object = dt_expr(s, *object);
	return assign;
}

/* A pointer prints its address and what it points to; the type's name goes along. */
static void compile_print(struct dt_sema *s, const struct dt_builtin *row, struct dt_node *call)
{
	struct dt_node *n = one_value(s, row, call, (struct value_tags){ D_PRINT_AGG, D_PRINT_DYN, D_PRINT_VOID });
	struct dt_node *object = NULL;
	struct dt_act *act;

	check_size(s, row, n, D_PRINT_SIZE);
	n->next = NULL;
	if (is_object_pointer(s, n))
		n = keep_pointer(s, n, &object);
	act = dt_act_value(s, DT_ACT_PRINT, n);
	act->fmt = dt_type_str(s->keep, n->type);
	act->type = n->type;
	if (object != NULL)
		dt_act_expr(s, DT_ACT_PRINT, object);
}

/* ---- tracemem ---- */

static void compile_tracemem(struct dt_sema *s, const struct dt_builtin *row, struct dt_node *call)
{
	struct dt_node *addr, *size, *dyn;
	unsigned n;

	(void)row;
	dt_act_args(s, call, false);
	n = dt_call_nargs(call);
	if (n < 2)
		dt_fail(s->diag, D_PROTO_LEN, call->loc, "tracemem( ) prototype mismatch: %u arg%s passed, at least 2 expected", n,
		    n == 1 ? "" : "s");
	if (n > 3)
		dt_fail(s->diag, D_TRACEMEM_ARGS, call->loc, "tracemem( ) prototype mismatch: %u args passed, at most 3 expected", n);
	addr = call->list;
	size = addr->next;
	dyn = size->next;
	if (is_agg(addr) || (!dt_type_is_integer(addr->type) && !dt_type_is_pointer(addr->type) && !dt_type_is_string(addr->type)))
		dt_fail(s->diag, D_TRACEMEM_ADDR, addr->loc, "tracemem( ) argument #1 must be a pointer or an integer address");
	if (is_agg(size) || !dt_type_is_integer(size->type))
		dt_fail(s->diag, D_PROTO_ARG, size->loc,
		    "tracemem( ) argument #2 is incompatible with prototype:\n\tprototype: size_t\n\t argument: %s",
		    is_agg(size) ? "aggregation" : dt_type_str(s->arena, size->type));
	if (!dt_node_is_const(size) || dt_node_int(size) <= 0 || dt_node_int(size) > UINT32_MAX)
		dt_fail(s->diag, D_TRACEMEM_SIZE, size->loc, "tracemem( ) argument #2 must be a positive integer constant");
	if (dyn != NULL && (is_agg(dyn) || !dt_type_is_scalar(dyn->type)))
		dt_fail(s->diag, D_TRACEMEM_DYNSIZE, dyn->loc, "tracemem( ) argument #3 must be a number");
	if (dyn != NULL)	/* how much of it to show comes first */
		dt_act_expr(s, DT_ACT_TRACEMEM_DYNSIZE, dyn);
	addr->next = NULL;
	if (addr->nflags & DT_NF_USER)
		addr = dt_expr_copyin(s, addr, size->value);
	dt_act_expr(s, DT_ACT_TRACEMEM, addr)->arg = size->value;
}

/* ---- printf and its kin ---- */

static const char *format_text(struct dt_sema *s, const struct dt_builtin *row, struct dt_node *call, struct dt_format **format)
{
	struct dt_node *fmt = call->list;
	struct dt_format_error err;

	if (fmt == NULL)
		dt_fail(s->diag, D_PROTO_LEN, call->loc, "%s( ) prototype mismatch: 0 args passed, at least 1 expected", row->name);
	if (fmt->kind != DT_N_STR)
		dt_fail(s->diag, D_PRINTF_ARG_FMT, fmt->loc, "%s( ) format must be a string constant", row->name);
	if (fmt->slen == 0 && row->id != DT_ACT_FREOPEN)
		dt_fail(s->diag, D_PRINTF_FMT_EMPTY, fmt->loc, "%s( ) format string is empty", row->name);
	if (memchr(fmt->str, '\0', fmt->slen) != NULL)
		dt_fail(s->diag, D_PRINTF_ARG_FMT, fmt->loc, "%s( ) format may not contain a NUL character", row->name);
	*format = dt_format_parse(s->arena, fmt->str, fmt->slen, &err);
	if (*format == NULL)
		dt_fail(s->diag, err.tag, fmt->loc, "%s", err.msg);
	return fmt->str;
}

static void check_arguments(struct dt_sema *s, const struct dt_builtin *row, const struct dt_format *format,
    const struct dt_node *fmt, struct dt_node *args)
{
	const struct dt_type **types;
	struct dt_format_error err;
	struct dt_node *a;
	uint32_t n = 0;

	for (a = args; a != NULL; a = a->next, n++) {
		if (is_agg(a))
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
 * One action a value. The first carries the format; when there is no value, or the first is a stack or symbol,
 * which record in their own way, a first action without data stands for it.
 */
static void compile_printf(struct dt_sema *s, const struct dt_builtin *row, struct dt_node *call)
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
		dt_fail(s->diag, D_FREOPEN_INVALID, call->list->loc, "freopen( ) argument #1 cannot be \".\"");
	if (args == NULL || is_key_action(s, args)) {
		act = dt_act_const(s, row->id, 0, 0, call->loc);
		act->difo = dt_difo_void(s->keep, act->difo);
	}
	for (struct dt_node *a = args; a != NULL; a = a->next)
		dt_act_value(s, row->id, a);
	s->acts.v[first].fmt = text;
	if (row->flags & DT_BF_DESTRUCTIVE)
		s->destructive = true;
}

/* ---- stacks ---- */

static void compile_stack(struct dt_sema *s, const struct dt_builtin *row, struct dt_node *call)
{
	uint64_t frames = s->cc->stackframes;

	(void)row;
	dt_act_args(s, call, false);
	if (dt_call_nargs(call) > 1)
		dt_fail(s->diag, D_STACK_PROTO, call->loc, "stack( ) prototype mismatch: %u args passed, at most 1 expected",
		    dt_call_nargs(call));
	if (call->list != NULL) {
		if (!dt_node_is_const(call->list) || dt_node_int(call->list) <= 0 || dt_node_int(call->list) > UINT16_MAX)
			dt_fail(s->diag, D_STACK_SIZE, call->list->loc, "stack( ) size must be a positive integer constant");
		frames = call->list->value;
	}
	dt_act_add(s, DT_ACT_STACK, call->loc)->arg = frames;
}

static void compile_ustack(struct dt_sema *s, const struct dt_builtin *row, struct dt_node *call)
{
	bool jstack = row->id == DT_ACT_JSTACK;
	uint64_t frames = jstack ? s->cc->jstackframes : s->cc->ustackframes;
	uint64_t strsize = jstack ? s->cc->jstackstrsize : 0;
	struct dt_node *n;

	dt_act_args(s, call, false);
	if (dt_call_nargs(call) > 2)
		dt_fail(s->diag, D_USTACK_PROTO, call->loc, "%s( ) prototype mismatch: %u args passed, at most 2 expected", row->name,
		    dt_call_nargs(call));
	n = call->list;
	if (n != NULL) {
		if (!dt_node_is_const(n) || dt_node_int(n) <= 0 || dt_node_int(n) > UINT16_MAX)
			dt_fail(s->diag, D_USTACK_FRAMES, n->loc, "%s( ) argument #1 must be a positive integer constant", row->name);
		frames = n->value;
	}
	if (n != NULL && n->next != NULL) {
		n = n->next;
		if (!dt_node_is_const(n) || dt_node_int(n) < 0 || dt_node_int(n) > UINT16_MAX)
			dt_fail(s->diag, D_USTACK_STRSIZE, n->loc, "%s( ) argument #2 must be an integer constant", row->name);
		strsize = n->value;
	}
	dt_act_add(s, row->id, call->loc)->arg = strsize << 32 | frames;
}

/* ---- symbols ---- */

static void compile_symbol(struct dt_sema *s, const struct dt_builtin *row, struct dt_node *call)
{
	dt_act_args(s, call, false);
	if (call->list != NULL && is_agg(call->list))
		dt_fail(s->diag, D_PROTO_ARG, call->list->loc, "%s( ) needs an address, not an aggregation", row->name);
	dt_call_check(s, call, row);
	dt_act_expr(s, row->id, call->list);
}

/* ---- printm ---- */

static void compile_printm(struct dt_sema *s, const struct dt_builtin *row, struct dt_node *call)
{
	struct dt_node *size, *addr;

	dt_act_args(s, call, false);
	if (dt_call_nargs(call) != 2)
		dt_fail(s->diag, D_PROTO_LEN, call->loc, "%s( ) prototype mismatch: %u args passed, 2 expected", row->name,
		    dt_call_nargs(call));
	size = call->list;
	addr = size->next;
	if (is_agg(size) || !dt_node_is_const(size) || dt_node_int(size) <= 0 || dt_node_int(size) > UINT32_MAX)
		dt_fail(s->diag, D_PRINTM_SIZE, size->loc, "printm( ) argument #1 must be a positive integer constant");
	if (is_agg(addr) || !dt_type_is_pointer(addr->type))
		dt_fail(s->diag, D_PRINTM_ADDR, addr->loc, "printm( ) argument #2 must be a pointer");
	dt_act_expr(s, DT_ACT_PRINTM, addr)->arg = size->value;
}

#define REC DT_BF_RECORDS
#define KEY (DT_BF_RECORDS | DT_BF_KEY)
#define ROW(n, f, i, p, v, c) { .name = n, .kind = DT_BI_ACTION, .flags = f, .id = i, .proto = p, .attr = EV, .version = v, .compile = c }

const struct dt_builtin dt_builtin_actions_data[] = {
	ROW("trace", REC, DT_ACT_DIFEXPR, "void(*)", DT_VERS(1, 0, 0), compile_trace),
	ROW("print", REC, DT_ACT_PRINT, "void(*)", DT_VERS(1, 9, 0), compile_print),
	ROW("printf", REC, DT_ACT_PRINTF, "void(string, ...)", DT_VERS(1, 0, 0), compile_printf),
	ROW("system", REC | DT_BF_DESTRUCTIVE, DT_ACT_SYSTEM, "void(string, ...)", DT_VERS(1, 0, 0), compile_printf),
	ROW("freopen", REC | DT_BF_DESTRUCTIVE, DT_ACT_FREOPEN, "void(string, ...)", DT_VERS(1, 1, 0), compile_printf),
	ROW("tracemem", REC, DT_ACT_TRACEMEM, "void(*, size_t, [size_t])", DT_VERS(1, 0, 0), compile_tracemem),
	ROW("printm", REC, DT_ACT_PRINTM, "void(size_t, uintptr_t *)", DT_VERS(1, 0, 0), compile_printm),
	ROW("stack", KEY, DT_ACT_STACK, "stack([uint32_t])", DT_VERS(1, 0, 0), compile_stack),
	ROW("ustack", KEY, DT_ACT_USTACK, "stack([uint32_t], [uint32_t])", DT_VERS(1, 0, 0), compile_ustack),
	ROW("jstack", KEY, DT_ACT_JSTACK, "stack([uint32_t], [uint32_t])", DT_VERS(1, 0, 0), compile_ustack),
	ROW("sym", KEY, DT_ACT_SYM, "_symaddr(uintptr_t)", DT_VERS(1, 2, 0), compile_symbol),
	ROW("func", KEY, DT_ACT_SYM, "_symaddr(uintptr_t)", DT_VERS(1, 2, 0), compile_symbol),
	ROW("mod", KEY, DT_ACT_MOD, "_symaddr(uintptr_t)", DT_VERS(1, 2, 0), compile_symbol),
	ROW("usym", KEY, DT_ACT_USYM, "_usymaddr(uintptr_t)", DT_VERS(1, 2, 0), compile_symbol),
	ROW("ufunc", KEY, DT_ACT_USYM, "_usymaddr(uintptr_t)", DT_VERS(1, 2, 0), compile_symbol),
	ROW("umod", KEY, DT_ACT_UMOD, "_usymaddr(uintptr_t)", DT_VERS(1, 2, 0), compile_symbol),
	ROW("uaddr", KEY, DT_ACT_UADDR, "_usymaddr(uintptr_t)", DT_VERS(1, 2, 0), compile_symbol),
	{ .name = "pcap", .kind = DT_BI_ACTION, .flags = REC, .id = DT_ACT_PCAP, .proto = "void(void *, int)",
	    .attr = EV, .unsupported = "packet capture is not part of this release; tracemem( ) records the bytes of a packet" },
	{ 0 },
};
