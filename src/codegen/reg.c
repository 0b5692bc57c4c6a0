/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Registers of the code generator: which are free, and which values wait in them. A waiting value that
 * must leave its register goes to a clause-local temporary; a constant is simply made again. The lowest
 * free register is always taken first, so results land in %r1.
 */
#include "codegen/impl.h"

unsigned dt_cg_alloc(struct dt_cg *cg)
{
	for (unsigned r = 1; r < cg->nregs; r++) {
		if (!(cg->used & 1u << r)) {
			cg->used |= 1u << r;
			return r;
		}
	}
	dt_fail(cg->opts->diag, D_NOREG, cg->loc, "Insufficient registers to generate code");
}

void dt_cg_free(struct dt_cg *cg, unsigned reg)
{
	cg->used &= ~(1u << reg);
}

void dt_cg_take(struct dt_cg *cg, unsigned reg)
{
	cg->used |= 1u << reg;
}

unsigned dt_cg_nfree(const struct dt_cg *cg)
{
	unsigned n = 0;

	for (unsigned r = 1; r < cg->nregs; r++)
		n += !(cg->used & 1u << r);
	return n;
}

/* Fails if the caller of codegen provides no temporaries. */
static const struct dt_ident *temp_ident(struct dt_cg *cg, const struct dt_node *n, int temp)
{
	const struct dt_ident *id = NULL;

	if (cg->opts->temp)
		id = cg->opts->temp(cg->opts->temp_ctx, (unsigned)temp);
	if (!id)
		dt_fail(cg->opts->diag, D_NOREG, n->loc, "Insufficient registers to generate code");
	return id;
}

/* Temporaries are numbered from 0 and used again once they are free; a deep expression may need many. */
static int temp_alloc(struct dt_cg *cg, const struct dt_node *n)
{
	for (unsigned t = 0; t < DT_CG_MAXTEMPS; t++) {
		if (!(cg->temps[t / 64] >> t % 64 & 1)) {
			cg->temps[t / 64] |= (uint64_t)1 << t % 64;
			return (int)t;
		}
	}
	dt_fail(cg->opts->diag, D_NOREG, n->loc, "Insufficient registers to generate code");
}

static void temp_free(struct dt_cg *cg, int t)
{
	if (t >= 0)
		cg->temps[t / 64] &= ~((uint64_t)1 << t % 64);
}

/* A constant needs no temporary: dt_cg_fetch() makes it again. */
static void spill_value(struct dt_cg *cg, struct dt_cg_held *h)
{
	if (h->reg < 0)
		return;
	if (!dt_cg_is_const(h->node)) {
		h->temp = temp_alloc(cg, h->node);
		dt_cg_scalar(cg, temp_ident(cg, h->node, h->temp), true, (unsigned)h->reg);
	}
	dt_cg_free(cg, (unsigned)h->reg);
	h->reg = -1;
}

void dt_cg_hold(struct dt_cg_held *h, const struct dt_node *n, unsigned reg)
{
	*h = (struct dt_cg_held){ .node = n, .reg = (int)reg, .temp = -1 };
}

void dt_cg_room(struct dt_cg *cg, struct dt_cg_held *h, unsigned n, unsigned need)
{
	if (dt_cg_nfree(cg) >= need)
		return;
	for (unsigned i = 0; i < n; i++)
		spill_value(cg, &h[i]);
}

void dt_cg_shed(struct dt_cg *cg, struct dt_cg_held *h, unsigned n, unsigned want)
{
	while (n > 0 && dt_cg_nfree(cg) < want)
		spill_value(cg, &h[--n]);
}

unsigned dt_cg_fetch(struct dt_cg *cg, const struct dt_cg_held *h)
{
	if (h->reg >= 0)
		return (unsigned)h->reg;
	if (h->temp < 0)
		return dt_cg_node(cg, h->node);
	unsigned r = dt_cg_alloc(cg);
	dt_cg_scalar(cg, temp_ident(cg, h->node, h->temp), false, r);
	return r;
}

void dt_cg_unfetch(struct dt_cg *cg, const struct dt_cg_held *h, unsigned reg)
{
	if (h->reg < 0)
		dt_cg_free(cg, reg);
}

unsigned dt_cg_unhold(struct dt_cg *cg, struct dt_cg_held *h)
{
	unsigned r = dt_cg_fetch(cg, h);

	temp_free(cg, h->temp);
	*h = (struct dt_cg_held){ .reg = -1, .temp = -1 };
	return r;
}

void dt_cg_drop(struct dt_cg *cg, struct dt_cg_held *h)
{
	if (h->reg >= 0)
		dt_cg_free(cg, (unsigned)h->reg);
	temp_free(cg, h->temp);
	*h = (struct dt_cg_held){ .reg = -1, .temp = -1 };
}
