/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Structs and arrays that may not exist yet: thread-local variables and elements of associative arrays.
 * Loading one gives 0. Reading such an object yields zeroes in scratch memory; writing a part of it
 * first creates the object, also zeroed. If the store is dropped for lack of room, the write goes to
 * scratch memory and is lost without a fault.
 */
#include "codegen/impl.h"

bool dt_cg_may_lack(const struct dt_node *n)
{
	const struct dt_ident *id = n->ident;

	if (!n->type || !id || id->row || dt_type_is_string(n->type))
		return false;
	if (!dt_type_is_sou(n->type) && dt_type_base(n->type)->kind != DT_T_ARRAY)
		return false;
	if (n->kind == DT_N_INDEX)
		return id->kind == DT_ID_ARRAY && n->list;
	return (n->kind == DT_N_VAR || n->kind == DT_N_IDENT) && id->kind == DT_ID_SCALAR &&
	    id->scope == DT_SCOPE_THREAD;
}

static bool is_array(const struct dt_node *n)
{
	return n && n->type && dt_type_base(n->type)->kind == DT_T_ARRAY;
}

/* The variable or element that a place is part of: v in v.a.b[2].c; NULL if it always exists. */
const struct dt_node *dt_cg_whole(const struct dt_node *n)
{
	for (;;) {
		if (n->kind == DT_N_MEMBER && n->a && (!n->arrow || is_array(n->a)))
			n = n->a;
		else if (n->kind == DT_N_UNARY && n->op == DT_OP_DEREF)
			n = n->a;
		else if (n->kind == DT_N_BINARY && (n->op == DT_OP_ADD || n->op == DT_OP_SUB) &&
		    is_array(n->a))
			n = n->a;
		else if (n->kind == DT_N_BINARY && n->op == DT_OP_ADD && is_array(n->b))
			n = n->b;
		else
			return dt_cg_may_lack(n) ? n : NULL;
	}
}

/* Loads or stores the whole object; the keys stay held. */
static void access_object(struct dt_cg *cg, const struct dt_node *n, struct dt_cg_tuple *keys, bool store,
    unsigned reg)
{
	if (keys) {
		dt_cg_push(cg, keys, true);
		dt_asm_at(cg->as, n->loc);
		dt_cg_element(cg, n->ident, store, reg);
	} else {
		dt_cg_scalar(cg, n->ident, store, reg);
	}
}

/*
 * The object's address. `keys` are those of an element, held, with three registers free; otherwise
 * NULL.
 */
unsigned dt_cg_object(struct dt_cg *cg, const struct dt_node *n, struct dt_cg_tuple *keys)
{
	unsigned r = dt_cg_alloc(cg), there = dt_asm_label(cg->as);

	access_object(cg, n, keys, false, r);
	dt_cg_emit(cg, DT_DIF_TST, r, 0, 0);
	dt_asm_branch(cg->as, DT_DIF_BNE, there);
	dt_asm_setx(cg->as, dt_type_size(cg->types, n->type), r);
	dt_cg_emit(cg, DT_DIF_ALLOCS, r, 0, r);
	/* The store copies the scratch object: load it again to get the address of the real one. */
	if (n == cg->make) {
		access_object(cg, n, keys, true, r);
		unsigned made = dt_cg_alloc(cg);
		access_object(cg, n, keys, false, made);
		dt_cg_emit(cg, DT_DIF_TST, made, 0, 0);
		dt_asm_branch(cg->as, DT_DIF_BE, there);
		dt_cg_emit(cg, DT_DIF_MOV, made, 0, r);
		dt_cg_free(cg, made);
	}
	dt_asm_place(cg->as, there);
	return r;
}
