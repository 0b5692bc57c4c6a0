/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is found before the code of a DIFO is made: which registers are read at or after each instruction, and
 * where branches go. DIF branches only go forward, so one pass from the end is enough. A set of registers is
 * a byte with a bit for each of %r1 … %r7.
 */
#include "bpf/build.h"

static uint8_t reg_bit(unsigned r) { return r && r < DT_DIF_NREGS ? (uint8_t)(1u << r) : 0; }

/* copys reads all three of its registers, rd being an address. */
static uint8_t live_reads(uint32_t in)
{
	switch (dt_difop_form(dt_dif_op(in))) {
	case DT_FORM_RRR:
		return reg_bit(dt_dif_r1(in)) | reg_bit(dt_dif_r2(in)) |
		    (dt_dif_op(in) == DT_DIF_COPYS ? reg_bit(dt_dif_rd(in)) : 0);
	case DT_FORM_CMP: return reg_bit(dt_dif_r1(in)) | reg_bit(dt_dif_r2(in));
	case DT_FORM_RR: case DT_FORM_TST: case DT_FORM_LD: return reg_bit(dt_dif_r1(in));
	case DT_FORM_ST: return reg_bit(dt_dif_r1(in)) | reg_bit(dt_dif_rd(in));
	case DT_FORM_RET: case DT_FORM_STV: case DT_FORM_PUSHTV: return reg_bit(dt_dif_rd(in));
	case DT_FORM_LDA: return reg_bit(dt_dif_r2(in));
	case DT_FORM_STA: return reg_bit(dt_dif_r2(in)) | reg_bit(dt_dif_rd(in));
	case DT_FORM_PUSHTR: return reg_bit(dt_dif_r2(in)) | reg_bit(dt_dif_rd(in));
	}
	return 0;
}

uint8_t dt_live_writes(uint32_t in)
{
	switch (dt_difop_form(dt_dif_op(in))) {
	case DT_FORM_RRR: return dt_dif_op(in) == DT_DIF_COPYS ? 0 : reg_bit(dt_dif_rd(in));
	case DT_FORM_RR:
	case DT_FORM_LD:
	case DT_FORM_SETX:
	case DT_FORM_SETS:
	case DT_FORM_LDA:
	case DT_FORM_LDV:
	case DT_FORM_CALL:
	case DT_FORM_XL:
		return reg_bit(dt_dif_rd(in));
	}
	return 0;
}

bool dt_dif_is_branch(uint32_t in) { return dt_difop_form(dt_dif_op(in)) == DT_FORM_BR; }

/* The programs were checked (dt_prog_check); a branch that goes backward is refused all the same. */
void dt_live_analyse(struct dt_lower *l)
{
	const struct dt_difo *d = l->difo;
	struct dt_arena *arena = l->b->arena;
	uint8_t *live = DT_NEWN(arena, uint8_t, d->ntext + 1);
	bool *target = DT_NEWN(arena, bool, d->ntext + 1);

	l->label = DT_NEWN(arena, uint32_t, d->ntext + 1);
	for (uint32_t pc = d->ntext; pc-- > 0;) {
		uint32_t in = d->text[pc];
		uint8_t out = dt_dif_op(in) == DT_DIF_RET || dt_dif_op(in) == DT_DIF_BA ? 0 : live[pc + 1];

		if (dt_dif_is_branch(in)) {
			uint32_t to = dt_dif_label(in);

			if (to <= pc || to >= d->ntext)
				dt_refuse(l->b, dt_lower_loc(l), "a branch leaves the expression");
			out |= live[to];
			target[to] = true;
		}
		live[pc] = (uint8_t)((out & ~dt_live_writes(in)) | live_reads(in));
	}
	for (uint32_t pc = 0; pc < d->ntext; pc++) {
		if (target[pc])
			l->label[pc] = dt_label(l->a);
	}
	l->live = live;
	l->target = target;
}
