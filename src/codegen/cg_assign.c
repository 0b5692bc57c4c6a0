/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Assignment, op=, ++ and --. A place is what is assigned to: a variable, an array element with its
 * keys, or an object in memory with its address. Keys and address are evaluated once, however often the
 * place is read and written. The value of an assignment is the value assigned, all 64 bits of it, even
 * if the place holds less.
 */
#include "codegen/impl.h"

enum place_kind { PLACE_VAR, PLACE_ELEM, PLACE_BUILTIN, PLACE_MEM };

/* Opened by open_place(), closed by write_place(): in between it holds registers. */
struct place {
	enum place_kind kind;
	const struct dt_node *node;
	struct dt_cg_tuple keys;	/* ELEM */
	struct dt_cg_held addr;		/* MEM: address; BUILTIN: index */
};

static enum place_kind place_kind(struct dt_cg *cg, const struct dt_node *n)
{
	const struct dt_ident *id = n->ident;

	if (dt_cg_is_memory(n))
		return PLACE_MEM;
	if (n->kind == DT_N_INDEX && id && id->kind == DT_ID_ARRAY && n->list)
		return id->row ? PLACE_BUILTIN : PLACE_ELEM;
	if ((n->kind == DT_N_IDENT || n->kind == DT_N_VAR) && id && id->kind == DT_ID_SCALAR &&
	    id->scope <= DT_SCOPE_CLAUSE)
		return PLACE_VAR;
	dt_fail(cg->opts->diag, D_OP_LVAL, n->loc, "operand is not something that can be assigned to");
}

/* Evaluates the keys or the address. `other` is a value that waits meanwhile, or NULL. */
static void open_place(struct dt_cg *cg, struct place *p, const struct dt_node *n, struct dt_cg_held *other)
{
	p->kind = place_kind(cg, n);
	p->node = n;
	p->keys.n = 0;
	p->addr = (struct dt_cg_held){ .reg = -1, .temp = -1 };
	if (p->kind == PLACE_ELEM) {
		dt_cg_tuple(cg, n, &p->keys, other);
	} else if (p->kind == PLACE_MEM) {
		if (other)
			dt_cg_room(cg, other, 1, dt_cg_need(cg, n));
		const struct dt_node *outer = cg->make;	/* an index may contain an assignment of its own */
		cg->make = dt_cg_whole(n);
		dt_cg_hold(&p->addr, n, dt_cg_address(cg, n));
		cg->make = outer;
	} else if (p->kind == PLACE_BUILTIN) {
		if (other)
			dt_cg_room(cg, other, 1, dt_cg_need(cg, n->list));
		dt_cg_hold(&p->addr, n->list, dt_cg_node(cg, n->list));
	}
}

static void close_place(struct dt_cg *cg, struct place *p)
{
	for (unsigned i = 0; i < p->keys.n; i++)
		dt_cg_drop(cg, &p->keys.held[i]);
	dt_cg_drop(cg, &p->addr);
}

/* Spills what the place holds if a tree needs more registers than are left. */
static void place_room(struct dt_cg *cg, struct place *p, unsigned need)
{
	dt_cg_room(cg, p->keys.held, p->keys.n, need);
	if (p->addr.node)
		dt_cg_room(cg, &p->addr, 1, need);
}

static void read_builtin(struct dt_cg *cg, struct place *p, unsigned rd)
{
	unsigned ri = dt_cg_fetch(cg, &p->addr);

	dt_cg_emit(cg, DT_DIF_LDGA, p->node->ident->id, ri, rd);
	dt_cg_var(cg, p->node->ident, DT_DIFV_REF);
	dt_cg_unfetch(cg, &p->addr, ri);
}

static unsigned read_place(struct dt_cg *cg, struct place *p)
{
	const struct dt_node *n = p->node;

	if (p->kind == PLACE_ELEM) {
		dt_cg_shed(cg, p->keys.held, p->keys.n, 2);
		dt_cg_push(cg, &p->keys, true);
	}
	unsigned r = dt_cg_alloc(cg);
	dt_asm_at(cg->as, n->loc);
	if (p->kind == PLACE_VAR) {
		dt_cg_scalar(cg, n->ident, false, r);
	} else if (p->kind == PLACE_ELEM) {
		dt_cg_element(cg, n->ident, false, r);
	} else if (p->kind == PLACE_BUILTIN) {
		read_builtin(cg, p, r);
	} else {
		unsigned ra = dt_cg_fetch(cg, &p->addr);
		dt_cg_load(cg, n, ra, r);
		dt_cg_unfetch(cg, &p->addr, ra);
	}
	return r;
}

static void write_memory(struct dt_cg *cg, struct place *p, const struct dt_node *value, unsigned rv)
{
	unsigned ra = dt_cg_fetch(cg, &p->addr);

	dt_cg_store(cg, p->node, p->node->type, value, ra, rv);
	dt_cg_unfetch(cg, &p->addr, ra);
}

static void write_builtin(struct dt_cg *cg, struct place *p, unsigned rv)
{
	unsigned ri = dt_cg_fetch(cg, &p->addr);

	dt_cg_emit(cg, DT_DIF_STGA, p->node->ident->id, ri, rv);
	dt_cg_var(cg, p->node->ident, DT_DIFV_MOD);
	dt_cg_unfetch(cg, &p->addr, ri);
}

/* Stores rv, whose type is that of the value node, and closes the place. */
static void write_place(struct dt_cg *cg, struct place *p, const struct dt_node *value, unsigned rv)
{
	const struct dt_node *n = p->node;

	dt_asm_at(cg->as, n->loc);
	if (p->kind == PLACE_VAR) {
		dt_cg_scalar(cg, n->ident, true, rv);
	} else if (p->kind == PLACE_ELEM) {
		dt_cg_shed(cg, p->keys.held, p->keys.n, 2);
		dt_cg_push(cg, &p->keys, false);
		dt_asm_at(cg->as, n->loc);
		dt_cg_element(cg, n->ident, true, rv);
	} else if (p->kind == PLACE_BUILTIN) {
		write_builtin(cg, p, rv);
	} else {
		write_memory(cg, p, value, rv);
	}
	close_place(cg, p);
}

/*
 * The right side comes first: a key or address that is evaluated later then holds no register during
 * it.
 */
static unsigned assign_plain(struct dt_cg *cg, const struct dt_node *n)
{
	struct dt_cg_held value;
	struct place p;

	dt_cg_hold(&value, n->b, dt_cg_node(cg, n->b));
	open_place(cg, &p, n->a, &value);
	unsigned rv = dt_cg_unhold(cg, &value);
	write_place(cg, &p, n->b, rv);
	return rv;
}

/* A value computed for a _Bool becomes 0 or 1; every other place cuts the value to its type. */
static void fit_place(struct dt_cg *cg, const struct dt_node *n, unsigned reg)
{
	if (dt_cg_width(n->type).is_bool)
		dt_cg_normalise(cg, reg);
}

/* a op= b, computed with the sign of a's type. */
static unsigned assign_compound(struct dt_cg *cg, const struct dt_node *n)
{
	struct dt_cg_held left;
	struct place p;

	open_place(cg, &p, n->a, NULL);
	dt_cg_hold(&left, n->a, read_place(cg, &p));
	unsigned nb = dt_cg_need(cg, n->b);
	place_room(cg, &p, nb);
	dt_cg_room(cg, &left, 1, nb);
	unsigned rb = dt_cg_node(cg, n->b), r = dt_cg_unhold(cg, &left);
	dt_asm_at(cg->as, n->loc);
	place_room(cg, &p, 1);
	dt_cg_arith(cg, dt_cg_operand_width(n->a).is_signed, n->op, n->a, n->b, r, rb);
	dt_cg_free(cg, rb);
	place_room(cg, &p, 1);
	fit_place(cg, n->a, r);
	write_place(cg, &p, n->b, r);
	return r;
}

unsigned dt_cg_assign(struct dt_cg *cg, const struct dt_node *n)
{
	return n->op == DT_OP_NONE ? assign_plain(cg, n) : assign_compound(cg, n);
}

/*
 * ++ and --, by 1 or by the size of what a pointer points to. The postfix forms keep the old value in
 * its own register.
 */
unsigned dt_cg_incdec(struct dt_cg *cg, const struct dt_node *n)
{
	bool post = n->op == DT_OP_POSTINC || n->op == DT_OP_POSTDEC;
	bool up = n->op == DT_OP_PREINC || n->op == DT_OP_POSTINC;
	uint64_t step = dt_type_is_pointer(n->a->type) ? dt_cg_elem_size(cg, n->a->type) : 1;
	struct place p;

	open_place(cg, &p, n->a, NULL);
	unsigned r = read_place(cg, &p);
	place_room(cg, &p, 2);
	unsigned t = dt_cg_alloc(cg), rv = post ? t : r;
	dt_asm_at(cg->as, n->loc);
	dt_asm_setx(cg->as, step, t);
	dt_cg_emit(cg, up ? DT_DIF_ADD : DT_DIF_SUB, r, t, rv);
	if (!post)
		dt_cg_free(cg, t);
	fit_place(cg, n->a, rv);
	write_place(cg, &p, n->a, rv);
	if (post)
		dt_cg_free(cg, t);
	return r;
}
