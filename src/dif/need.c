/* SPDX-License-Identifier: BSD-2-Clause */
/* What the variables and subroutines of a DIFO or a program need when it is traced, as their rows say. */
#include "dif/action.h"
#include "dif/builtin.h"

static const struct dt_builtin *row_of(uint32_t in)
{
	switch (dt_dif_op(in)) {
	case DT_DIF_LDGS: return dt_builtin_var(dt_dif_v16(in));
	case DT_DIF_LDGA: return dt_builtin_var(dt_dif_r1(in));
	case DT_DIF_CALL: return dt_builtin_subr(dt_dif_v16(in));
	default: return NULL;
	}
}

bool dt_difo_needs(const struct dt_difo *d, unsigned needs)
{
	for (uint32_t pc = 0; d && pc < d->ntext; pc++) {
		const struct dt_builtin *row = row_of(d->text[pc]);

		if ((needs & DT_NEED_ENDS) && dt_dif_op(d->text[pc]) == DT_DIF_STTAA)
			return true;
		if (row && (row->needs & needs))
			return true;
	}
	return false;
}

bool dt_prog_needs(const struct dt_prog *p, unsigned needs)
{
	for (uint32_t i = 0; i < p->necbs; i++) {
		if (dt_difo_needs(p->ecbs[i].pred, needs))
			return true;
		for (uint32_t a = 0; a < p->ecbs[i].nacts; a++)
			if (dt_difo_needs(p->ecbs[i].acts[a].difo, needs))
				return true;
	}
	return false;
}

/* ---- where it can run ---- */

const struct dt_builtin *dt_difo_outside(const struct dt_difo *d, unsigned where)
{
	for (uint32_t pc = 0; d && pc < d->ntext; pc++) {
		const struct dt_builtin *row = row_of(d->text[pc]);

		if (row && row->where && !(row->where & where))
			return row;
	}
	return NULL;
}

const struct dt_builtin *dt_prog_outside(const struct dt_prog *p, unsigned where)
{
	const struct dt_builtin *row = NULL;

	for (uint32_t i = 0; i < p->necbs && !row; i++) {
		row = dt_difo_outside(p->ecbs[i].pred, where);
		for (uint32_t a = 0; a < p->ecbs[i].nacts && !row; a++) {
			const struct dt_act *act = &p->ecbs[i].acts[a];
			const struct dt_action *kind = DT_ACT_IS_AGG(act->kind) ? NULL : dt_action_of(act);

			row = dt_difo_outside(act->difo, where);
			if (!row && kind && kind->where && !(kind->where & where))
				row = kind->names;
		}
	}
	return row;
}
