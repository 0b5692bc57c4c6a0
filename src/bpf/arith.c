/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Arithmetic of DIF, 64 bits: registers in, a register out. Division by zero is a fault. Shift counts are
 * taken modulo 64, as the processors do; the verifier would refuse a constant that is larger.
 */
#include "bpf/build.h"

static const int alu_of[] = {
	[DT_DIF_OR] = BPF_OR,
	[DT_DIF_XOR] = BPF_XOR,
	[DT_DIF_AND] = BPF_AND,
	[DT_DIF_SLL] = BPF_LSH,
	[DT_DIF_SRL] = BPF_RSH,
	[DT_DIF_SUB] = BPF_SUB,
	[DT_DIF_ADD] = BPF_ADD,
	[DT_DIF_MUL] = BPF_MUL,
	[DT_DIF_SRA] = BPF_ARSH,
};

void dt_lower_arith(struct dt_lower *l, uint32_t in)
{
	unsigned op = dt_dif_op(in), r2 = dt_dif_r2(in);
	bool shift = op == DT_DIF_SLL || op == DT_DIF_SRL || op == DT_DIF_SRA;
	uint64_t k = r2 ? l->reg[r2].v : 0;
	bool known = !r2 || l->reg[r2].kind == V_CONST;

	if (shift)
		k &= 63;
	if (known && dt_fits32(k)) {
		dt_get(l, dt_dif_r1(in), R0);
		dt_alui(l->a, alu_of[op], R0, (int32_t)k);
	} else {
		dt_get(l, dt_dif_r1(in), R1);
		dt_get(l, r2, R2);
		if (shift)
			dt_alui(l->a, BPF_AND, R2, 63);
		dt_mov(l->a, R0, R1);
		dt_alu(l->a, alu_of[op], R0, R2);
	}
	dt_set(l, dt_dif_rd(in));
}

/*
 * Signed division by the unsigned one, which is all that the oldest instruction set we support has: the
 * absolute values are divided, then the result gets its sign. A remainder has the sign of the dividend.
 * R1 / R2, the result in R0; INT64_MIN / -1 wraps, and nothing faults.
 */
static void signed_divide(struct dt_lower *l, bool rem)
{
	struct dt_emit *a = l->a;
	uint32_t apos = dt_label(a), bpos = dt_label(a), done = dt_label(a);

	dt_mov(a, R3, R1);
	if (!rem)
		dt_alu(a, BPF_XOR, R3, R2);	/* its sign is the result's */
	dt_jmpi(a, BPF_JSGE, R1, 0, apos);
	dt_neg(a, R1);
	dt_put(a, apos);
	dt_jmpi(a, BPF_JSGE, R2, 0, bpos);
	dt_neg(a, R2);
	dt_put(a, bpos);
	dt_alu(a, rem ? BPF_MOD : BPF_DIV, R1, R2);
	dt_jmpi(a, BPF_JSGE, R3, 0, done);
	dt_neg(a, R1);
	dt_put(a, done);
	dt_mov(a, R0, R1);
}

void dt_lower_divide(struct dt_lower *l, uint32_t in)
{
	unsigned op = dt_dif_op(in);
	struct dt_emit *a = l->a;

	dt_get(l, dt_dif_r1(in), R1);
	dt_get(l, dt_dif_r2(in), R2);
	dt_jmpi(a, BPF_JEQ, R2, 0, dt_fault_label(l, DT_FLT_DIVZERO, A_NONE));
	if (op == DT_DIF_SDIV || op == DT_DIF_SREM) {
		signed_divide(l, op == DT_DIF_SREM);
	} else {
		dt_mov(a, R0, R1);
		dt_alu(a, op == DT_DIF_UDIV ? BPF_DIV : BPF_MOD, R0, R2);
	}
	dt_set(l, dt_dif_rd(in));
}

void dt_lower_not(struct dt_lower *l, uint32_t in)
{
	dt_get(l, dt_dif_r1(in), R0);
	dt_alui(l->a, BPF_XOR, R0, -1);
	dt_set(l, dt_dif_rd(in));
}
