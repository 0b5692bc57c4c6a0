/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * trace() and print(): a value recorded as its type says; print() also carries the type, so that structs are
 * shown by their members.
 */
#include "builtin/act_common.h"

/* ---- compiling ---- */

/* The error tags of trace() or print(). */
struct value_tags { enum dt_tag agg, dyn, none; };

/* The one argument of trace() or print(), refused if it is no value that can be recorded. */
static struct dt_node *single_value(struct dt_sema *s, const struct dt_builtin *row, struct dt_node *call,
    struct value_tags tags)
{
	struct dt_node *n;

	dt_act_args(s, call, true);
	if (dt_call_nargs(call) != 1)
		dt_fail(s->diag, D_PROTO_LEN, call->loc,
		    "%s( ) prototype mismatch: %u args passed, 1 expected", row->name, dt_call_nargs(call));
	n = call->list;
	if (dt_node_is_agg(n))
		dt_fail_hint(s->diag, tags.agg, n->loc, "print it with printa( )",
		    "%s( ) may not be applied to an aggregation", row->name);
	if (n->kind == DT_N_XLATE && dt_type_is_pointer(n->type))
		dt_fail_hint(s->diag, tags.dyn, n->loc,
		    "write * before it for the whole object, or name one of its members",
		    "%s( ) may not be applied to a translated pointer", row->name);
	if (n->kind == DT_N_XLATE)
		n = dt_expr_xwhole(s, n);
	if (dt_type_is_void(n->type))
		dt_fail(s->diag, tags.none, n->loc, "%s( ) may not be applied to a void expression",
		    row->name);
	return n;
}

/* Arrays and structs in memory are recorded whole, so their size must be known. */
static void check_size(struct dt_sema *s, const struct dt_builtin *row, const struct dt_node *n,
    enum dt_tag tag)
{
	if (!dt_node_is_key(s, n) && dt_type_base(n->type)->kind != DT_T_FUNC &&
	    dt_type_size(s->types, n->type) == 0)
		dt_fail(s->diag, tag, n->loc, "%s( ): the size of \"%s\" is not known", row->name,
		    dt_type_str(s->arena, n->type));
}

static void trace_compile(struct dt_sema *s, const struct dt_builtin *row, struct dt_node *call)
{
	struct dt_node *n = single_value(s, row, call,
	    (struct value_tags){ D_TRACE_AGG, D_TRACE_DYN, D_TRACE_VOID });

	check_size(s, row, n, D_TRACE_VOID);
	dt_act_value(s, DT_ACT_DIFEXPR, n);
}

/* A pointer to something that print() can show: not to a function or to an incomplete type. */
static bool is_object_pointer(struct dt_sema *s, const struct dt_node *n)
{
	const struct dt_type *t = dt_type_base(n->type);

	return t->kind == DT_T_PTR && dt_type_base(t->ref)->kind != DT_T_FUNC &&
	    dt_type_size(s->types, t->ref) != 0;
}

/* A use of the variable; it inherits where its value points to (the process, or scratch). */
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

/*
 * The pointer is evaluated only once: its value is kept in a variable of our own, through which the object is
 * found. Returns the assignment, which is recorded as the pointer, and through *object what it points to.
 */
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

/*
 * A pointer prints its address and what it points to. The type travels in the action, and its name in `fmt`,
 * by which a saved program finds it again.
 */
static void print_compile(struct dt_sema *s, const struct dt_builtin *row, struct dt_node *call)
{
	struct dt_node *n = single_value(s, row, call,
	    (struct value_tags){ D_PRINT_AGG, D_PRINT_DYN, D_PRINT_VOID });
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

/* ---- for those who print ---- */

/* A value, or a pointer and the object it points to. In a saved program the type is found by its name. */
static void print_text(struct dt_statements *s, const struct dt_rec *recs, size_t n)
{
	struct dt_value v;

	dt_record_value(recs[0].act, recs[0].data, recs[0].len, &v);
	v.type = recs[0].act->type;
	if (v.type == NULL && recs[0].act->fmt != NULL && s->ops.type != NULL)
		v.type = s->ops.type(s->ops.ctx, recs[0].act->fmt);
	if (n > 1 && v.type != NULL && dt_type_base(v.type)->kind == DT_T_PTR) {
		struct dt_value object = { .kind = DT_V_BYTES, .bytes = recs[1].data, .len = recs[1].len,
			.type = dt_type_base(v.type)->ref };

		dt_pretty_pointer(s->out, v.i, &object);
		return;
	}
	dt_pretty_print(s->out, &v);
}

/* The type's name, the address of what a pointer leads to, and the value by its members. */
static void print_json(struct dt_json_firing *f, const char *name, const struct dt_rec *recs, size_t n)
{
	const struct dt_statement_ops *o = &f->sink->statements->ops;
	const char *type = recs[0].act->fmt;
	struct dt_value v;

	dt_record_value(recs[0].act, recs[0].data, recs[0].len, &v);
	v.type = recs[0].act->type;
	if (v.type == NULL && type != NULL && o->type != NULL)
		v.type = o->type(o->ctx, type);
	dt_json_action_open(f, name);
	if (type != NULL) {
		dt_json_key(f->j, "type");
		dt_json_str(f->j, type);
	}
	if (n > 1 && v.type != NULL && dt_type_base(v.type)->kind == DT_T_PTR) {
		dt_json_key(f->j, "address");
		dt_json_address(f->j, v.i);
		v = (struct dt_value){ .kind = DT_V_BYTES, .bytes = recs[1].data, .len = recs[1].len,
			.type = dt_type_base(v.type)->ref };
	}
	dt_json_key(f->j, "value");
	dt_json_object(f->j, &v);
	dt_json_action_close(f);
}

const struct dt_action dt_action_DIFEXPR = {
	.names = DT_ACT_NAMES(DT_ACT_NAME("trace", DT_BF_RECORDS, DT_ACT_DIFEXPR, "void(*)", DT_VERS(1, 0, 0),
	    trace_compile, "records a value")),
	.facts = DT_AF_IFVALUE | DT_AF_ALONE,
	DT_ACT_BY_TYPE,
	DT_ACT_SHOW,
};

const struct dt_action dt_action_PRINT = {
	.names = DT_ACT_NAMES(DT_ACT_NAME("print", DT_BF_RECORDS, DT_ACT_PRINT, "void(*)", DT_VERS(1, 9, 0),
	    print_compile, "records a value and prints it by its type; of a pointer, what it points to")),
	DT_ACT_BY_TYPE,
	.shape = DT_SHAPE_OBJECT,
	.text = print_text,
	.json = print_json,
};
