/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Truth. Conditions become compare and branch; where the value of a condition is wanted, 0 or 1 is
 * loaded after the branches. Branches only go forward, as DIF demands.
 */
#include "codegen/impl.h"

/* r = r != 0 */
void dt_cg_normalise(struct dt_cg *cg, unsigned reg)
{
	unsigned zero = dt_asm_label(cg->as);

	dt_cg_emit(cg, DT_DIF_TST, reg, 0, 0);
	dt_asm_branch(cg->as, DT_DIF_BE, zero);
	dt_asm_setx(cg->as, 1, reg);
	dt_asm_place(cg->as, zero);
}

/* The branch for "a op b is `sense`". */
static unsigned branch_op(enum dt_op op, bool is_signed, bool sense)
{
	static const uint8_t ops[][2] = {	/* [0]: unsigned */
		[DT_OP_EQ] = { DT_DIF_BE, DT_DIF_BE }, [DT_OP_NE] = { DT_DIF_BNE, DT_DIF_BNE },
		[DT_OP_LT] = { DT_DIF_BLU, DT_DIF_BL }, [DT_OP_LE] = { DT_DIF_BLEU, DT_DIF_BLE },
		[DT_OP_GT] = { DT_DIF_BGU, DT_DIF_BG }, [DT_OP_GE] = { DT_DIF_BGEU, DT_DIF_BGE },
	};
	static const uint8_t inverse[] = {
		[DT_OP_EQ] = DT_OP_NE, [DT_OP_NE] = DT_OP_EQ, [DT_OP_LT] = DT_OP_GE,
		[DT_OP_LE] = DT_OP_GT, [DT_OP_GT] = DT_OP_LE, [DT_OP_GE] = DT_OP_LT,
	};

	return ops[sense ? op : inverse[op]][is_signed];
}

/* Integers are compared with the sign that a op b would have, addresses as unsigned. */
static bool compare_signed(const struct dt_node *a, const struct dt_node *b)
{
	struct dt_cg_width wa = dt_cg_operand_width(a), wb = dt_cg_operand_width(b);

	return wa.bits + !wa.is_signed >= wb.bits + !wb.is_signed ? wa.is_signed : wb.is_signed;
}

static void branch_on_compare(struct dt_cg *cg, const struct dt_node *n, bool sense, unsigned label)
{
	bool str = dt_type_is_string(n->a->type) || dt_type_is_string(n->b->type);
	unsigned ra, rb;

	dt_cg_both(cg, n->a, n->b, &ra, &rb);
	dt_asm_at(cg->as, n->loc);
	dt_cg_emit(cg, str ? DT_DIF_SCMP : DT_DIF_CMP, ra, rb, 0);
	dt_cg_free(cg, ra);
	dt_cg_free(cg, rb);
	dt_asm_branch(cg->as, branch_op(n->op, str || compare_signed(n->a, n->b), sense), label);
}

/*
 * a && b, a
 * b. If `sense` is the value that settles the operator, either side alone may jump.
 */
static void both_or_either(struct dt_cg *cg, const struct dt_node *n, bool sense, unsigned label)
{
	bool shortcut = n->op == DT_OP_LOR;	/* the left value that settles it */

	if (sense == shortcut) {
		dt_cg_branch_if(cg, n->a, sense, label);
		dt_cg_branch_if(cg, n->b, sense, label);
		return;
	}
	unsigned skip = dt_asm_label(cg->as);
	dt_cg_branch_if(cg, n->a, shortcut, skip);
	dt_cg_branch_if(cg, n->b, sense, label);
	dt_asm_place(cg->as, skip);
}

static void branch_on_value(struct dt_cg *cg, const struct dt_node *n, bool sense, unsigned label)
{
	unsigned r = dt_cg_node(cg, n);

	dt_asm_at(cg->as, n->loc);
	dt_cg_emit(cg, DT_DIF_TST, r, 0, 0);
	dt_cg_free(cg, r);
	dt_asm_branch(cg->as, sense ? DT_DIF_BNE : DT_DIF_BE, label);
}

/*
 * Jumps to the label if the truth of n is `sense`, otherwise falls through. It holds no register at the
 * end.
 */
void dt_cg_branch_if(struct dt_cg *cg, const struct dt_node *n, bool sense, unsigned label)
{
	if (n->kind == DT_N_UNARY && n->op == DT_OP_NOT) {
		dt_cg_branch_if(cg, n->a, !sense, label);
	} else if (n->kind == DT_N_BINARY && (n->op == DT_OP_LAND || n->op == DT_OP_LOR)) {
		both_or_either(cg, n, sense, label);
	} else if (n->kind == DT_N_BINARY && n->op >= DT_OP_EQ && n->op <= DT_OP_GE) {
		branch_on_compare(cg, n, sense, label);
	} else {
		branch_on_value(cg, n, sense, label);
	}
}

/*
 * && and
 * usually fall through to 1, the others to 0: the historic listings show this order.
 */
unsigned dt_cg_truth(struct dt_cg *cg, const struct dt_node *n)
{
	bool andor = n->kind == DT_N_BINARY && (n->op == DT_OP_LAND || n->op == DT_OP_LOR);

	if (n->kind == DT_N_BINARY && n->op == DT_OP_LXOR)
		return dt_cg_node(cg, n);
	unsigned target = dt_asm_label(cg->as), end = dt_asm_label(cg->as);
	dt_cg_branch_if(cg, n, !andor, target);
	unsigned r = dt_cg_alloc(cg);
	dt_asm_at(cg->as, n->loc);
	if (andor)
		dt_asm_setx(cg->as, 1, r);
	else
		dt_cg_emit(cg, DT_DIF_MOV, 0, 0, r);
	dt_asm_branch(cg->as, DT_DIF_BA, end);
	dt_asm_place(cg->as, target);
	if (andor)
		dt_cg_emit(cg, DT_DIF_MOV, 0, 0, r);
	else
		dt_asm_setx(cg->as, 1, r);
	dt_asm_place(cg->as, end);
	return r;
}
