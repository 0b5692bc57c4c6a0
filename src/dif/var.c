/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Variables of a DIFO: scope and id come in; order and table entries go out. Tables are sorted by
 * dt_difv_order(), which the checker makes sure of; dt_difv_find() relies on it.
 */
#include "dif/var.h"

unsigned dt_difop_scope(unsigned op)
{
	switch (op) {
	case DT_DIF_LDTA: case DT_DIF_LDTS: case DT_DIF_STTS: case DT_DIF_LDTAA: case DT_DIF_STTAA:
		return DT_DIFV_THREAD;
	case DT_DIF_LDLS: case DT_DIF_STLS:
		return DT_DIFV_LOCAL;
	default:
		return DT_DIFV_GLOBAL;
	}
}

/* The historic order of a listing: thread-local variables, then globals, then clause-locals. */
static int scope_rank(unsigned scope)
{
	return scope == DT_DIFV_THREAD ? 0 : scope == DT_DIFV_GLOBAL ? 1 : 2;
}

int dt_difv_order(unsigned scope, uint32_t id, const struct dt_difv *v)
{
	if (scope_rank(scope) != scope_rank(v->scope))
		return scope_rank(scope) - scope_rank(v->scope);
	return id < v->id ? -1 : id > v->id;
}

const struct dt_difv *dt_difv_find(const struct dt_difo *d, unsigned scope, uint32_t id)
{
	uint32_t lo = 0, hi = d->nvars;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;
		int order = dt_difv_order(scope, id, &d->vars[mid]);

		if (order == 0)
			return &d->vars[mid];
		if (order < 0)
			hi = mid;
		else
			lo = mid + 1;
	}
	return NULL;
}

/* What changes the traced process: copyout(), copyoutstr(), and stores to its registers. */
bool dt_dif_is_destructive(uint32_t instr)
{
	if (dt_dif_op(instr) == DT_DIF_CALL)
		return dt_dif_v16(instr) == DT_SUBR_copyout || dt_dif_v16(instr) == DT_SUBR_copyoutstr;
	return dt_dif_op(instr) == DT_DIF_STGA;
}
