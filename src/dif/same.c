/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Whether two clauses mean the same code. A clause with several probe descriptions is compiled for each of
 * them, because arguments may have other types there; where nothing differs, one program can serve them all.
 */
#include "dif/dif.h"

#include <string.h>

static bool same_bytes(const void *x, const void *y, size_t n) { return n == 0 || memcmp(x, y, n) == 0; }

static bool same_type(const struct dt_diftype *x, const struct dt_diftype *y)
{
	return x->kind == y->kind && x->ckind == y->ckind && x->flags == y->flags && x->size == y->size &&
	    x->is_signed == y->is_signed;
}

static bool same_variables(const struct dt_difo *x, const struct dt_difo *y)
{
	if (x->nvars != y->nvars)
		return false;
	for (uint32_t i = 0; i < x->nvars; i++) {
		const struct dt_difv *v = &x->vars[i], *w = &y->vars[i];

		if (v->id != w->id || v->kind != w->kind || v->scope != w->scope || v->flags != w->flags ||
		    !same_type(&v->type, &w->type))
			return false;
	}
	return true;
}

static bool same_difo(const struct dt_difo *x, const struct dt_difo *y)
{
	if (x == NULL || y == NULL)
		return x == y;
	return x->ntext == y->ntext && x->nints == y->nints && x->strlen == y->strlen &&
	    same_type(&x->rtype, &y->rtype) && same_bytes(x->text, y->text, x->ntext * sizeof(*x->text)) &&
	    same_bytes(x->ints, y->ints, x->nints * sizeof(*x->ints)) &&
	    same_bytes(x->strs, y->strs, x->strlen) && same_variables(x, y);
}

static bool same_act(const struct dt_act *x, const struct dt_act *y)
{
	return x->kind == y->kind && x->ntuple == y->ntuple && x->arg == y->arg && x->in_tuple == y->in_tuple
	    &&
	    same_difo(x->difo, y->difo);
}

/* Formats and statement numbers are the reader's business, who has them by the enabling. */
bool dt_ecb_same_code(const struct dt_ecb *x, const struct dt_ecb *y)
{
	if (x == y)
		return true;
	if (x->nacts != y->nacts || x->loc.src != y->loc.src || x->loc.off != y->loc.off ||
	    !same_difo(x->pred, y->pred))
		return false;
	for (uint32_t i = 0; i < x->nacts; i++)
		if (!same_act(&x->acts[i], &y->acts[i]))
			return false;
	return true;
}
