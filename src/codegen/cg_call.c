/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tuples: the arguments of subroutines and the keys of associative arrays. All are evaluated first,
 * since a key may itself use the tuple. Then they are pushed in order: values as values, strings and
 * structs by reference with their size.
 */
#include "codegen/impl.h"

/*
 * The type an entry is pushed as: a key takes the type in the array's signature; an argument has its
 * own, since sema has cast it already.
 */
static const struct dt_type *entry_type(const struct dt_ident *id, const struct dt_node *value, unsigned i)
{
	return id->kind == DT_ID_ARRAY && id->keyed && i < id->nkeys && id->keys[i] ? id->keys[i] :
										      value->type;
}

/* Evaluates the list of n into *t. `other` is a value that waits meanwhile, or NULL. */
void dt_cg_tuple(struct dt_cg *cg, const struct dt_node *n, struct dt_cg_tuple *t, struct dt_cg_held *other)
{
	const struct dt_ident *id = n->ident;

	t->n = 0;
	for (const struct dt_node *k = n->list; k; k = k->next) {
		if (t->n >= cg->ntuple)
			dt_fail(cg->opts->diag, D_NOREG, k->loc,
			    "Insufficient tuple registers to generate code");
		unsigned need = dt_cg_need(cg, k);
		if (other && dt_cg_nfree(cg) < need)
			dt_cg_room(cg, other, 1, need);
		dt_cg_room(cg, t->held, t->n, need);
		t->type[t->n] = entry_type(id, k, t->n);
		dt_cg_hold(&t->held[t->n], k, dt_cg_node(cg, k));
		t->n++;
	}
	/* Pushing needs a register for sizes and one for each value that is fetched. */
	dt_cg_shed(cg, t->held, t->n, 2);
	if (other && dt_cg_nfree(cg) < 2)
		dt_cg_shed(cg, other, 1, 2);
}

/* The bytes that a by-reference entry occupies. */
static uint64_t ref_size(struct dt_cg *cg, const struct dt_type *t)
{
	return dt_type_is_string(t) ? cg->opts->strsize : dt_type_size(cg->types, t);
}

/* A struct of unknown size is pushed by value: its address is the key. */
static void push_entry(struct dt_cg *cg, const struct dt_type *t, unsigned reg)
{
	uint64_t size = dt_type_is_byref(t) ? ref_size(cg, t) : 0;

	if (size == 0) {
		dt_cg_emit(cg, DT_DIF_PUSHTV, 0, 0, reg);
		return;
	}
	unsigned s = dt_cg_alloc(cg);
	dt_asm_setx(cg->as, size, s);
	dt_cg_emit(cg, DT_DIF_PUSHTR, dt_type_is_string(t) ? DT_DT_STRING : DT_DT_CTF, s, reg);
	dt_cg_free(cg, s);
}

/* With `keep`, the values stay held for another push. */
void dt_cg_push(struct dt_cg *cg, struct dt_cg_tuple *t, bool keep)
{
	dt_cg_emit(cg, DT_DIF_FLUSHTS, 0, 0, 0);
	for (unsigned i = 0; i < t->n; i++) {
		unsigned r = dt_cg_fetch(cg, &t->held[i]);

		dt_asm_at(cg->as, t->held[i].node->loc);
		push_entry(cg, t->type[i], r);
		dt_cg_unfetch(cg, &t->held[i], r);
		if (!keep)
			dt_cg_drop(cg, &t->held[i]);
	}
}

unsigned dt_cg_call(struct dt_cg *cg, const struct dt_node *n)
{
	const struct dt_ident *id = n->ident;
	struct dt_cg_tuple args;

	if (!id || id->kind != DT_ID_FUNC || !id->row || id->row->kind != DT_BI_SUBR)
		dt_fail(cg->opts->diag, D_CG_EXPR, n->loc,
		    "%s( ) may not be called from a D expression (D program context required)",
		    id ? id->name : n->name ? n->name : "function");
	dt_cg_tuple(cg, n, &args, NULL);
	dt_asm_at(cg->as, n->loc);
	dt_cg_push(cg, &args, false);
	unsigned r = dt_cg_alloc(cg);
	dt_asm_at(cg->as, n->loc);
	dt_asm_emit(cg->as, dt_dif_fmt16(DT_DIF_CALL, id->row->id, r));
	return r;
}

/* ---- array elements ---- */

/* The keys must have been pushed just before. */
void dt_cg_element(struct dt_cg *cg, const struct dt_ident *id, bool store, unsigned reg)
{
	bool tls = id->scope == DT_SCOPE_THREAD;
	unsigned op = store ? (tls ? DT_DIF_STTAA : DT_DIF_STGAA) : tls ? DT_DIF_LDTAA : DT_DIF_LDGAA;

	dt_asm_emit(cg->as, dt_dif_fmt16(op, id->id, reg));
	dt_cg_var(cg, id, store ? DT_DIFV_MOD : DT_DIFV_REF);
}

/* args[i] and uregs[i]. Raw arguments have 64 bits, so a narrower type is cut out at once. */
static unsigned builtin_element(struct dt_cg *cg, const struct dt_node *n)
{
	struct dt_cg_width w = dt_cg_width(n->type);
	unsigned r = dt_cg_node(cg, n->list);

	dt_asm_at(cg->as, n->loc);
	dt_cg_emit(cg, DT_DIF_LDGA, n->ident->id, r, r);
	dt_cg_var(cg, n->ident, DT_DIFV_REF);
	if (dt_type_is_integer(n->type))
		dt_cg_narrow(cg, r, w.bits, w.is_signed);
	return r;
}

/* A struct or array element may not exist yet: see cg_object.c. */
static unsigned object_element(struct dt_cg *cg, const struct dt_node *n, struct dt_cg_tuple *keys)
{
	dt_cg_shed(cg, keys->held, keys->n, 4);
	unsigned r = dt_cg_object(cg, n, keys);
	for (unsigned i = 0; i < keys->n; i++)
		dt_cg_drop(cg, &keys->held[i]);
	return r;
}

unsigned dt_cg_index(struct dt_cg *cg, const struct dt_node *n)
{
	struct dt_cg_tuple keys;

	if (!n->ident || n->ident->kind != DT_ID_ARRAY || !n->list)
		dt_fail(cg->opts->diag, D_CG_EXPR, n->loc, "expression has no value");
	if (n->ident->row)
		return builtin_element(cg, n);
	dt_cg_tuple(cg, n, &keys, NULL);
	dt_asm_at(cg->as, n->loc);
	if (dt_cg_may_lack(n))
		return object_element(cg, n, &keys);
	dt_cg_push(cg, &keys, false);
	unsigned r = dt_cg_alloc(cg);
	dt_asm_at(cg->as, n->loc);
	dt_cg_element(cg, n->ident, false, r);
	return r;
}
