/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Atomic operations of aarch64: by one instruction, or by a loop of exclusive accesses where the processor is
 * older. Those that give the old value back are ordered with all others, as eBPF has it.
 */
#include "native/native_aarch64.h"

struct atomic { unsigned size; int addr, src; int op; bool fetch; };

static void atomic_one(struct dt_native *n, const struct atomic *a)
{
	/*
	 * The old value is always asked for. The forms without it (STADD) may be carried out far away, in a
	 * cache that all processors share: count() then takes 24 ns instead of 6 on a Neoverse V1.
	 */
	uint32_t rt = (uint32_t)(a->fetch ? a->src : T3), s = (uint32_t)a->src;
	uint32_t form = 0x38200000 | a->size << 30 | (uint32_t)a->addr << 5;
	uint32_t order = a->fetch ? 3u << 22 : 0;	/* acquire and release */

	switch (a->op) {
	case BPF_AND:			/* it clears what the operand has */
		a_rrr(n, true, A_ORN, T2, A_ZR, a->src, 0);
		a_put(n, form | order | T2 << 16 | 1u << 12 | rt);
		break;
	case BPF_ADD: a_put(n, form | order | s << 16 | rt); break;
	case BPF_XOR: a_put(n, form | order | s << 16 | 2u << 12 | rt); break;
	case BPF_OR: a_put(n, form | order | s << 16 | 3u << 12 | rt); break;
	case BPF_XCHG: a_put(n, form | order | s << 16 | 0x8000 | rt); break;
	default:			/* CMPXCHG */
		a_put(n, 0x08e0fc00 | a->size << 30 | RESULT << 16 | (uint32_t)a->addr << 5 | s);
	}
}

static void exclusive(struct dt_native *n, const struct atomic *a, bool store, bool ordered, int rt)
{
	uint32_t op = store ? 0x08007c00 | T2 << 16 : 0x085f7c00;

	a_put(n, op | (ordered ? 0x8000 : 0) | a->size << 30 | (uint32_t)a->addr << 5 | (uint32_t)rt);
}

static void atomic_loop(struct dt_native *n, const struct atomic *a)
{
	static const uint32_t ops[] = { [BPF_ADD >> 4] = A_ADD, [BPF_OR >> 4] = A_ORR,
		[BPF_AND >> 4] = A_AND, [BPF_XOR >> 4] = A_EOR };
	bool w = a->size == 3;
	int value = T4;
	size_t again = n->len;

	exclusive(n, a, false, a->fetch, T3);
	if (a->op == BPF_CMPXCHG) {
		a_rrr(n, w, A_SUBS, A_ZR, T3, RESULT, 0);
		a_put(n, 0x54000000 | 3 << 5 | A_NE);	/* past the store and its test */
	}
	if (a->op == BPF_CMPXCHG || a->op == BPF_XCHG)
		value = a->src;
	else
		a_rrr(n, w, ops[a->op >> 4], value, T3, a->src, 0);
	exclusive(n, a, true, a->fetch, value);
	a_put(n, 0x35000000 | ((uint32_t)((again - n->len) / 4) & 0x7ffff) << 5 | T2);
	if (!a->fetch)
		return;
	a_put(n, 0xd5033bbf);		/* dmb ish: what comes later stays later */
	a_mov(n, true, a->op == BPF_CMPXCHG ? RESULT : a->src, T3);
}

static bool known_atomic(int op)
{
	return op == BPF_ADD || op == BPF_OR || op == BPF_AND || op == BPF_XOR || op == BPF_XCHG ||
	    op == BPF_CMPXCHG;
}

void dt_aarch64_atomic(struct dt_native *n, const struct bpf_insn *in)
{
	bool exchange = in->imm == BPF_XCHG || in->imm == BPF_CMPXCHG;
	struct atomic a = { .size = dt_aarch64_log(in), .addr = T1, .fetch = in->imm & BPF_FETCH,
		.op = exchange ? in->imm : in->imm & ~BPF_FETCH };

	if (!known_atomic(a.op) || a.size < 2 || in->src_reg == BFP) {
		dt_native_unknown(n, in);
		return;
	}
	a.src = dt_aarch64_reg(n, in->src_reg);
	if (in->dst_reg == BFP)
		a_addi(n, true, T1, A_SP, (int64_t)n->in->depth + in->off, T1);
	else if (in->off)
		a_addi(n, true, T1, dt_aarch64_reg(n, in->dst_reg), in->off, T1);
	else
		a.addr = dt_aarch64_reg(n, in->dst_reg);
	if (n->place->lse)
		atomic_one(n, &a);
	else
		atomic_loop(n, &a);
}
