/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Expressions: tokens come in, nodes go out. Above each function is the grammar rule that it reads.
 * Casts are distinguished from parentheses by the text alone, as far as possible.
 */
#include "syntax/grammar.h"

static struct dt_node *cast_expr(struct dt_parser *);
static struct dt_node *unary_expr(struct dt_parser *);

/* All nodes are made here, with the parser's arena. */
static struct dt_node *new_node(struct dt_parser *ps, enum dt_node_kind kind, struct dt_loc loc)
{
	return dt_node_new(ps->diag, ps->arena, kind, loc);
}

/* The name is what the program wrote. What it means is sema's to find. */
static struct dt_node *name_node(struct dt_parser *ps, enum dt_node_kind kind, struct dt_token t)
{
	struct dt_node *n = new_node(ps, kind, t.loc);

	n->name = t.text;
	return n;
}

/* A node around one operand; the caller gives the place of the whole. */
static struct dt_node *node_around(struct dt_parser *ps, enum dt_node_kind kind, struct dt_loc loc,
    struct dt_node *a)
{
	struct dt_node *n = new_node(ps, kind, loc);

	n->a = a;
	dt_node_adopt(ps->diag, n, a);
	return n;
}

/* A node with two operands; its place spans both. */
static struct dt_node *node_pair(struct dt_parser *ps, enum dt_node_kind kind, enum dt_op op,
    struct dt_node *a, struct dt_node *b)
{
	struct dt_node *n = node_around(ps, kind, dt_loc_span(a->loc, b->loc), a);

	n->op = (uint8_t)op;
	n->b = b;
	dt_node_adopt(ps->diag, n, b);
	return n;
}

/* args = assign_expr { "," assign_expr }; the values become parent->list */
static void parse_arguments(struct dt_parser *ps, struct dt_node *parent)
{
	struct dt_node **tail = &parent->list;

	do {
		*tail = dt_assign_parse(ps);
		dt_node_adopt(ps->diag, parent, *tail);
		tail = &(*tail)->next;
	} while (dt_tok_accept(ps, DT_T_COMMA));
}

/* "self" "->" name, "this" "->" name */
static struct dt_node *scoped_variable(struct dt_parser *ps)
{
	struct dt_token scope = dt_tok_take(ps), name;
	struct dt_node *n;

	dt_tok_expect(ps, DT_T_ARROW,
	    scope.kind == DT_T_SELF ? "expected self->name" : "expected this->name");
	if (dt_tok_kind(ps, 0) != DT_T_IDENT)
		dt_fail(ps->diag, D_OP_IDENT, dt_loc_span(scope.loc, dt_tok_peek(ps)->loc),
		    "%s-> must be followed by the name of a variable",
		    scope.kind == DT_T_SELF ? "self" : "this");
	name = dt_tok_take(ps);
	n = name_node(ps, DT_N_VAR, name);
	n->scope = scope.kind == DT_T_SELF ? DT_SCOPE_THREAD : DT_SCOPE_CLAUSE;
	n->loc = dt_loc_span(scope.loc, name.loc);
	n->name_loc = name.loc;
	return n;
}

/* value and suffix belong to a number, str and slen to a string; the others are zero. */
static struct dt_node *constant_expr(struct dt_parser *ps)
{
	struct dt_token t = dt_tok_take(ps);
	struct dt_node *n = new_node(ps, t.kind == DT_T_INT ? DT_N_INT : DT_N_STR, t.loc);

	n->value = t.value;
	n->suffix = t.suffix;
	n->str = t.text;
	n->slen = t.len;
	return n;
}

/* Parentheses leave no node, only their place and a mark on what is in them. */
static struct dt_node *paren_expr(struct dt_parser *ps)
{
	struct dt_loc open = dt_tok_take(ps).loc;
	struct dt_node *n = dt_expr_parse(ps);

	n->loc = dt_loc_span(open, dt_tok_close(ps, DT_T_RPAREN, open).loc);
	n->paren = true;	/* (a == b) = c is refused by sema, a == b = c by the parser */
	return n;
}

/* "offsetof" "(" type_name "," member_name ")" */
static struct dt_node *offsetof_expr(struct dt_parser *ps)
{
	struct dt_node *n = new_node(ps, DT_N_OFFSETOF, dt_tok_take(ps).loc);
	struct dt_loc open = dt_tok_expect(ps, DT_T_LPAREN, "offsetof(type, member)").loc;
	struct dt_token member;

	n->tname = dt_tname_parse(ps);
	dt_tok_expect(ps, DT_T_COMMA, "offsetof(type, member)");
	member = dt_tok_word(ps, "offsetof(type, member)");
	n->name = member.text;
	n->name_loc = member.loc;
	n->loc = dt_loc_span(n->loc, dt_tok_close(ps, DT_T_RPAREN, open).loc);
	return n;
}

/* "xlate" "<" type_name ">" "(" expr ")" */
static struct dt_node *xlate_expr(struct dt_parser *ps)
{
	struct dt_loc start = dt_tok_take(ps).loc, open;
	struct dt_tname *tname;
	struct dt_node *n;

	dt_tok_expect(ps, DT_T_LT, "xlate <type>(expression)");
	tname = dt_tname_parse(ps);
	dt_tok_expect(ps, DT_T_GT, "xlate <type>(expression)");
	open = dt_tok_expect(ps, DT_T_LPAREN, "xlate <type>(expression)").loc;
	n = node_around(ps, DT_N_XLATE, start, dt_expr_parse(ps));
	n->tname = tname;
	n->loc = dt_loc_span(start, dt_tok_close(ps, DT_T_RPAREN, open).loc);
	return n;
}

/* primary = IDENT | AGG | INT | STRING | "self" | "this" | "(" expr ")" | offsetof … | xlate … */
static struct dt_node *primary_expr(struct dt_parser *ps)
{
	switch (dt_tok_kind(ps, 0)) {
	case DT_T_IDENT: return name_node(ps, DT_N_IDENT, dt_tok_take(ps));
	case DT_T_AGG: return name_node(ps, DT_N_AGG, dt_tok_take(ps));
	case DT_T_INT: case DT_T_STR: return constant_expr(ps);
	case DT_T_SELF: case DT_T_THIS: return scoped_variable(ps);
	case DT_T_LPAREN: return paren_expr(ps);
	case DT_T_OFFSETOF: return offsetof_expr(ps);
	case DT_T_XLATE: return xlate_expr(ps);
	default: dt_tok_unexpected(ps, "expected an expression");
	}
}

static struct dt_node *index_expr(struct dt_parser *ps, struct dt_node *a)
{
	struct dt_loc open = dt_tok_take(ps).loc;
	struct dt_node *n = node_around(ps, DT_N_INDEX, a->loc, a);

	parse_arguments(ps, n);
	n->loc = dt_loc_span(a->loc, dt_tok_close(ps, DT_T_RBRACK, open).loc);
	return n;
}

/* What is called is an expression here; sema wants a name. */
static struct dt_node *call_expr(struct dt_parser *ps, struct dt_node *a)
{
	struct dt_loc open = dt_tok_take(ps).loc;
	struct dt_node *n = node_around(ps, DT_N_CALL, a->loc, a);

	if (dt_tok_kind(ps, 0) != DT_T_RPAREN)
		parse_arguments(ps, n);
	n->loc = dt_loc_span(a->loc, dt_tok_close(ps, DT_T_RPAREN, open).loc);
	return n;
}

/* After . and -> the lexer gives keywords as plain names, so any word can be a member. */
static struct dt_node *member_expr(struct dt_parser *ps, struct dt_node *a)
{
	struct dt_token op = dt_tok_take(ps), name = *dt_tok_peek(ps);
	struct dt_node *n;

	if (name.kind != DT_T_IDENT)
		dt_fail(ps->diag, D_OP_IDENT, dt_loc_span(op.loc, name.loc),
		    "operator %s must be followed by the name of a member", op.kind == DT_T_DOT ? "." : "->");
	dt_tok_take(ps);
	n = node_around(ps, DT_N_MEMBER, dt_loc_span(a->loc, name.loc), a);
	n->arrow = op.kind == DT_T_ARROW;
	n->name = name.text;
	n->name_loc = name.loc;
	return n;
}

static struct dt_node *postfix_step(struct dt_parser *ps, struct dt_node *a)
{
	struct dt_token t = dt_tok_take(ps);
	struct dt_node *n = node_around(ps, DT_N_UNARY, dt_loc_span(a->loc, t.loc), a);

	n->op = t.kind == DT_T_INC ? DT_OP_POSTINC : DT_OP_POSTDEC;
	return n;
}

/* postfix = primary { "[" args "]" | "(" [args] ")" | "." name | "->" name | "++" | "--" } */
static struct dt_node *postfix_expr(struct dt_parser *ps)
{
	struct dt_node *n = primary_expr(ps);

	for (;;) {
		switch (dt_tok_kind(ps, 0)) {
		case DT_T_LBRACK: n = index_expr(ps, n); break;
		case DT_T_LPAREN: n = call_expr(ps, n); break;
		case DT_T_DOT: case DT_T_ARROW: n = member_expr(ps, n); break;
		case DT_T_INC: case DT_T_DEC: n = postfix_step(ps, n); break;
		default: return n;
		}
	}
}

/*
 * "sizeof" unary | "sizeof" "(" type_name ")"; a lone name in parentheses stays an expression: sema
 * decides
 */
static struct dt_node *sizeof_expr(struct dt_parser *ps)
{
	struct dt_loc start = dt_tok_take(ps).loc, open;
	struct dt_node *a, *n;

	if (dt_tok_kind(ps, 0) == DT_T_LPAREN && dt_paren_is_type(ps, 1)) {
		open = dt_tok_take(ps).loc;
		n = new_node(ps, DT_N_SIZEOF, start);
		n->tname = dt_tname_parse(ps);
		n->loc = dt_loc_span(start, dt_tok_close(ps, DT_T_RPAREN, open).loc);
		return n;
	}
	a = unary_expr(ps);
	return node_around(ps, DT_N_SIZEOF, dt_loc_span(start, a->loc), a);
}

static struct dt_node *stringof_expr(struct dt_parser *ps)
{
	struct dt_loc start = dt_tok_take(ps).loc;
	struct dt_node *a = unary_expr(ps);

	return node_around(ps, DT_N_STRINGOF, dt_loc_span(start, a->loc), a);
}

/* DT_OP_NONE is 0: the token begins no prefix. */
static enum dt_op prefix_op(enum dt_tok kind)
{
	switch (kind) {
	case DT_T_INC: return DT_OP_PREINC;
	case DT_T_DEC: return DT_OP_PREDEC;
	case DT_T_AND: return DT_OP_ADDR;
	case DT_T_MUL: return DT_OP_DEREF;
	case DT_T_ADD: return DT_OP_PLUS;
	case DT_T_SUB: return DT_OP_NEG;
	case DT_T_BITNOT: return DT_OP_BITNOT;
	case DT_T_NOT: return DT_OP_NOT;
	default: return DT_OP_NONE;
	}
}

/* ++ and -- take a unary expression, the others a cast, as in C's grammar. */
static struct dt_node *prefix_expr(struct dt_parser *ps, enum dt_op op)
{
	struct dt_loc start = dt_tok_take(ps).loc;
	struct dt_node *a = op == DT_OP_PREINC || op == DT_OP_PREDEC ? unary_expr(ps) : cast_expr(ps);
	struct dt_node *n = node_around(ps, DT_N_UNARY, dt_loc_span(start, a->loc), a);

	n->op = (uint8_t)op;
	return n;
}

/* unary = postfix | ("++"|"--") unary | ("&"|"*"|"+"|"-"|"~"|"!") cast | "sizeof" … | "stringof" unary */
static struct dt_node *unary_expr(struct dt_parser *ps)
{
	const struct dt_token *t = dt_tok_peek(ps);
	enum dt_op op = prefix_op(t->kind);
	enum dt_tok kind = t->kind;
	struct dt_node *n;

	dt_depth_enter(ps, t->loc);
	if (op)
		n = prefix_expr(ps, op);
	else if (kind == DT_T_SIZEOF)
		n = sizeof_expr(ps);
	else if (kind == DT_T_STRINGOF)
		n = stringof_expr(ps);
	else
		n = postfix_expr(ps);
	dt_depth_leave(ps);
	return n;
}

/*
 * Tokens that begin an operand. After "(name)" they make it a cast: D has no calls of a name in
 * parentheses.
 */
static bool starts_primary(enum dt_tok kind)
{
	switch (kind) {
	case DT_T_IDENT: case DT_T_INT: case DT_T_STR: case DT_T_AGG: case DT_T_SELF: case DT_T_THIS:
	case DT_T_LPAREN: case DT_T_SIZEOF: case DT_T_STRINGOF: case DT_T_XLATE: case DT_T_OFFSETOF:
	case DT_T_BITNOT: case DT_T_NOT:
		return true;
	default:
		return false;
	}
}

/* "(" IDENT ")": a cast or an expression? What follows decides, unless it could be either. */
static bool lone_name_is_cast(struct dt_parser *ps)
{
	enum dt_tok after = dt_tok_kind(ps, 3);

	if (after == DT_T_INC || after == DT_T_DEC)
		return starts_primary(dt_tok_kind(ps, 4));
	if (after == DT_T_MUL || after == DT_T_AND || after == DT_T_ADD || after == DT_T_SUB)
		/* * & + - can be unary or binary: only the type's name tells */
		return dt_typename_known(ps, ps->ahead.v[ps->head + 1].text);
	return starts_primary(after);
}

/* Decided by looking ahead alone; nothing has been taken when the answer is no. */
static bool is_cast(struct dt_parser *ps)
{
	if (dt_tok_kind(ps, 0) != DT_T_LPAREN)
		return false;
	if (dt_tok_kind(ps, 1) == DT_T_IDENT && dt_tok_kind(ps, 2) == DT_T_RPAREN)
		return lone_name_is_cast(ps);
	return dt_paren_is_type(ps, 1);
}

/* cast = unary | "(" type_name ")" cast */
static struct dt_node *cast_expr(struct dt_parser *ps)
{
	struct dt_tname *tname;
	struct dt_loc open;
	struct dt_node *a, *n;

	if (!is_cast(ps))
		return unary_expr(ps);
	open = dt_tok_take(ps).loc;
	dt_depth_enter(ps, open);
	tname = dt_tname_parse(ps);
	dt_tok_close(ps, DT_T_RPAREN, open);
	a = cast_expr(ps);
	dt_depth_leave(ps);
	n = node_around(ps, DT_N_CAST, dt_loc_span(open, a->loc), a);
	n->tname = tname;
	return n;
}

/* Precedence of binary operators, higher binds tighter. */
struct binop {
	uint8_t prec;		/* 0: not a binary operator */
	uint8_t op;
};

static const struct binop binops[DT_NTOKS] = {
	[DT_T_LOR] = { 1, DT_OP_LOR },
	[DT_T_LXOR] = { 2, DT_OP_LXOR },
	[DT_T_LAND] = { 3, DT_OP_LAND },
	[DT_T_OR] = { 4, DT_OP_OR },
	[DT_T_XOR] = { 5, DT_OP_XOR },
	[DT_T_AND] = { 6, DT_OP_AND },
	[DT_T_EQ] = { 7, DT_OP_EQ },
	[DT_T_NE] = { 7, DT_OP_NE },
	[DT_T_LT] = { 8, DT_OP_LT },
	[DT_T_LE] = { 8, DT_OP_LE },
	[DT_T_GT] = { 8, DT_OP_GT },
	[DT_T_GE] = { 8, DT_OP_GE },
	[DT_T_SHL] = { 9, DT_OP_SHL },
	[DT_T_SHR] = { 9, DT_OP_SHR },
	[DT_T_ADD] = { 10, DT_OP_ADD },
	[DT_T_SUB] = { 10, DT_OP_SUB },
	[DT_T_MUL] = { 11, DT_OP_MUL },
	[DT_T_DIV] = { 11, DT_OP_DIV },
	[DT_T_MOD] = { 11, DT_OP_MOD },
};

/* lor … mul: operators of at least this precedence; each level associates to the left */
static struct dt_node *binary_expr(struct dt_parser *ps, unsigned least)
{
	struct dt_node *n;

	dt_depth_enter(ps, dt_tok_peek(ps)->loc);
	n = cast_expr(ps);
	for (;;) {
		struct binop b = binops[dt_tok_kind(ps, 0)];

		if (b.prec == 0 || b.prec < least)
			break;
		dt_tok_take(ps);
		n = node_pair(ps, DT_N_BINARY, b.op, n, binary_expr(ps, b.prec + 1u));
	}
	dt_depth_leave(ps);
	return n;
}

/* cond_expr = lor [ "?" expr ":" cond_expr ] */
struct dt_node *dt_cond_parse(struct dt_parser *ps)
{
	struct dt_node *a = binary_expr(ps, 1), *b, *c, *n;

	if (!dt_tok_accept(ps, DT_T_QUEST))
		return a;
	dt_depth_enter(ps, a->loc);
	b = dt_expr_parse(ps);
	dt_tok_expect(ps, DT_T_COLON, "expected : of ?:");
	c = dt_cond_parse(ps);
	dt_depth_leave(ps);
	n = node_around(ps, DT_N_COND, dt_loc_span(a->loc, c->loc), a);
	n->b = b;
	n->c = c;
	dt_node_adopt(ps->diag, n, b);
	dt_node_adopt(ps->diag, n, c);
	return n;
}

/* The order of the tokens is that of the table. */
static bool assign_op(enum dt_tok kind, enum dt_op *op)
{
	static const uint8_t ops[] = {
		DT_OP_NONE, DT_OP_ADD, DT_OP_SUB, DT_OP_MUL, DT_OP_DIV, DT_OP_MOD,
		DT_OP_SHL, DT_OP_SHR, DT_OP_AND, DT_OP_OR, DT_OP_XOR,
	};

	if (kind < DT_T_ASSIGN || kind > DT_T_XOR_EQ)
		return false;
	*op = (enum dt_op)ops[kind - DT_T_ASSIGN];
	return true;
}

/* assign_expr = cond_expr | unary assign_op assign_expr */
struct dt_node *dt_assign_parse(struct dt_parser *ps)
{
	struct dt_node *a = dt_cond_parse(ps), *b;
	enum dt_op op;

	if (!assign_op(dt_tok_kind(ps, 0), &op))
		return a;
	/* sema knows better what can be assigned; this catches what the grammar does not allow. */
	if (!a->paren && (a->kind == DT_N_BINARY || a->kind == DT_N_COND))
		dt_tok_unexpected(ps, "the left side is not something that can be assigned to");
	dt_tok_take(ps);
	dt_depth_enter(ps, a->loc);
	b = dt_assign_parse(ps);
	dt_depth_leave(ps);
	return node_pair(ps, DT_N_ASSIGN, op, a, b);
}

/* expr = assign_expr { "," assign_expr } */
struct dt_node *dt_expr_parse(struct dt_parser *ps)
{
	struct dt_node *n = dt_assign_parse(ps);

	while (dt_tok_accept(ps, DT_T_COMMA))
		n = node_pair(ps, DT_N_COMMA, DT_OP_NONE, n, dt_assign_parse(ps));
	return n;
}
