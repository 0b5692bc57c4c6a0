/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Nodes of the tree: creating, linking, copying. The depth of a node is that of its deepest operand
 * plus one.
 */
#include "syntax/ast.h"

static const char *const op_text[DT_NOPS] = {
	[DT_OP_NONE] = "",
	[DT_OP_ADD] = "+", [DT_OP_SUB] = "-", [DT_OP_MUL] = "*", [DT_OP_DIV] = "/", [DT_OP_MOD] = "%",
	[DT_OP_SHL] = "<<", [DT_OP_SHR] = ">>", [DT_OP_AND] = "&", [DT_OP_OR] = "|", [DT_OP_XOR] = "^",
	[DT_OP_EQ] = "==", [DT_OP_NE] = "!=", [DT_OP_LT] = "<", [DT_OP_LE] = "<=", [DT_OP_GT] = ">",
	[DT_OP_GE] = ">=", [DT_OP_LAND] = "&&", [DT_OP_LOR] = "||", [DT_OP_LXOR] = "^^",
	[DT_OP_NEG] = "-", [DT_OP_PLUS] = "+", [DT_OP_BITNOT] = "~", [DT_OP_NOT] = "!", [DT_OP_DEREF] = "*",
	[DT_OP_ADDR] = "&", [DT_OP_PREINC] = "++", [DT_OP_PREDEC] = "--", [DT_OP_POSTINC] = "++",
	[DT_OP_POSTDEC] = "--",
};

const char *dt_op_text(enum dt_op op)
{
	return (unsigned)op < DT_NOPS ? op_text[op] : "";
}

/* The node has no operands yet, and so depth 0; code that links one calls dt_node_adopt(). */
struct dt_node *dt_node_new(struct dt_diag *diag, struct dt_arena *arena, enum dt_node_kind kind,
    struct dt_loc loc)
{
	struct dt_node *n = DT_NEW(arena, struct dt_node);

	(void)diag;
	n->kind = (uint8_t)kind;
	n->loc = loc;
	return n;
}

/*
 * Accounts for an operand, which may be NULL. The limit on depth is kept here, so everything that walks
 * the tree may recurse.
 */
void dt_node_adopt(struct dt_diag *diag, struct dt_node *parent, struct dt_node *child)
{
	if (!child || child->depth < parent->depth)
		return;
	if (child->depth + 1 >= DT_AST_MAXDEPTH)
		dt_fail(diag, D_SYNTAX, parent->loc, "expression is nested too deeply");
	parent->depth = (uint16_t)(child->depth + 1);
}

/* A list is copied in order; each copy is linked by `next`. */
static struct dt_node *clone_list(struct dt_arena *arena, const struct dt_node *n)
{
	struct dt_node *first = NULL, **tail = &first;

	for (; n; n = n->next) {
		*tail = dt_node_clone(arena, n);
		tail = &(*tail)->next;
	}
	return first;
}

/*
 * A copy as the parser would have made it: what sema stored in a node is cleared. Texts and type names
 * are shared, as they do not change.
 */
struct dt_node *dt_node_clone(struct dt_arena *arena, const struct dt_node *n)
{
	struct dt_node *copy;

	if (!n)
		return NULL;
	copy = dt_arena_memdup(arena, n, sizeof(*n));
	copy->a = dt_node_clone(arena, n->a);
	copy->b = dt_node_clone(arena, n->b);
	copy->c = dt_node_clone(arena, n->c);
	copy->list = clone_list(arena, n->list);
	copy->next = NULL;
	copy->type = NULL;
	copy->ident = NULL;
	copy->nflags = 0;
	copy->bit_off = copy->bit_size = 0;
	copy->moff = 0;
	return copy;
}
