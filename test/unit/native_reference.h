/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What eBPF means, one instruction after the other, for comparison: written from the kernel's description of
 * the instruction set, without a look at the translators. It reads and writes the same memory as programs do.
 */
#ifndef NATIVE_REFERENCE_H
#define NATIVE_REFERENCE_H

#include "native_run.h"

struct reference { const struct dt_image_prog *p; uint64_t steps; unsigned depth; };

static uint64_t ref_call(struct reference *, uint32_t pc, const uint64_t *args);

static uint64_t ref_alu64(unsigned op, bool sign, uint64_t a, uint64_t b)
{
	switch (op) {
	case BPF_ADD: return a + b;
	case BPF_SUB: return a - b;
	case BPF_MUL: return a * b;
	case BPF_AND: return a & b;
	case BPF_OR: return a | b;
	case BPF_XOR: return a ^ b;
	case BPF_LSH: return a << (b & 63);
	case BPF_RSH: return a >> (b & 63);
	case BPF_ARSH: return (uint64_t)((int64_t)a >> (b & 63));
	case BPF_DIV:
		if (b == 0)
			return 0;
		if (sign)
			return b == UINT64_MAX ? 0 - a : (uint64_t)((int64_t)a / (int64_t)b);
		return a / b;
	case BPF_MOD:
		if (b == 0)
			return a;
		if (sign)
			return b == UINT64_MAX ? 0 : (uint64_t)((int64_t)a % (int64_t)b);
		return a % b;
	default: return b;
	}
}

static uint64_t ref_alu32(unsigned op, bool sign, uint32_t a, uint32_t b)
{
	switch (op) {
	case BPF_LSH: return a << (b & 31);
	case BPF_RSH: return a >> (b & 31);
	case BPF_ARSH: return (uint32_t)((int32_t)a >> (b & 31));
	case BPF_DIV: case BPF_MOD:
		if (sign)
			return (uint32_t)ref_alu64(op, true, (uint64_t)(int32_t)a, (uint64_t)(int32_t)b);
		return (uint32_t)ref_alu64(op, false, a, b);
	default: return (uint32_t)ref_alu64(op, false, a, b);
	}
}

static uint64_t ref_swap(const struct bpf_insn *in, uint64_t v)
{
	bool turn = BPF_CLASS(in->code) == BPF_ALU64 || BPF_SRC(in->code) == BPF_TO_BE;

	switch (in->imm) {
	case 16: return turn ? __builtin_bswap16((uint16_t)v) : (uint16_t)v;
	case 32: return turn ? __builtin_bswap32((uint32_t)v) : (uint32_t)v;
	default: return turn ? __builtin_bswap64(v) : v;
	}
}

static void ref_alu(const struct bpf_insn *in, uint64_t *r)
{
	unsigned op = BPF_OP(in->code);
	bool w = BPF_CLASS(in->code) == BPF_ALU64;
	uint64_t b = BPF_SRC(in->code) == BPF_X ? r[in->src_reg] : (uint64_t)in->imm, *d = &r[in->dst_reg];

	if (op == BPF_END)
		*d = ref_swap(in, *d);
	else if (op == BPF_NEG)
		*d = w ? 0 - *d : (uint32_t)(0 - *d);
	else if (op == BPF_MOV && in->off) {
		b = in->off == 8 ? (uint64_t)(int8_t)b : in->off == 16 ? (uint64_t)(int16_t)b :
		    (uint64_t)(int32_t)b;
		*d = w ? b : (uint32_t)b;
	} else
		*d = w ? ref_alu64(op, in->off == 1, *d, b) :
		    ref_alu32(op, in->off == 1, (uint32_t)*d, (uint32_t)b);
}

static unsigned ref_size(const struct bpf_insn *in)
{
	return BPF_SIZE(in->code) == BPF_DW ? 8 : BPF_SIZE(in->code) == BPF_W ? 4 :
	    BPF_SIZE(in->code) == BPF_H ? 2 : 1;
}

static uint64_t ref_load(uint64_t at, unsigned size)
{
	uint64_t v = 0;

	memcpy(&v, (const void *)(uintptr_t)at, size);	/* both machines are little endian */
	return v;
}

static void ref_store(uint64_t at, unsigned size, uint64_t v) { memcpy((void *)(uintptr_t)at, &v, size); }

static void ref_atomic(const struct bpf_insn *in, uint64_t *r)
{
	unsigned size = ref_size(in);
	uint64_t at = r[in->dst_reg] + (uint64_t)in->off, old = ref_load(at, size), b = r[in->src_reg];

	if (in->imm == BPF_CMPXCHG) {
		if (old == (size == 4 ? (uint32_t)r[0] : r[0]))
			ref_store(at, size, b);
		r[0] = old;
		return;
	}
	switch (in->imm & ~BPF_FETCH) {
	case BPF_ADD: ref_store(at, size, old + b); break;
	case BPF_OR: ref_store(at, size, old | b); break;
	case BPF_AND: ref_store(at, size, old & b); break;
	case BPF_XOR: ref_store(at, size, old ^ b); break;
	default: ref_store(at, size, b);
	}
	if (in->imm & BPF_FETCH)
		r[in->src_reg] = old;
}

static bool ref_taken(const struct bpf_insn *in, const uint64_t *r)
{
	bool w = BPF_CLASS(in->code) == BPF_JMP;
	uint64_t a = r[in->dst_reg], b = BPF_SRC(in->code) == BPF_X ? r[in->src_reg] : (uint64_t)in->imm;
	int64_t sa = w ? (int64_t)a : (int32_t)a, sb = w ? (int64_t)b : (int32_t)b;

	if (!w) {
		a = (uint32_t)a;
		b = (uint32_t)b;
	}
	switch (BPF_OP(in->code)) {
	case BPF_JEQ: return a == b;
	case BPF_JNE: return a != b;
	case BPF_JGT: return a > b;
	case BPF_JGE: return a >= b;
	case BPF_JLT: return a < b;
	case BPF_JLE: return a <= b;
	case BPF_JSET: return a & b;
	case BPF_JSGT: return sa > sb;
	case BPF_JSGE: return sa >= sb;
	case BPF_JSLT: return sa < sb;
	case BPF_JSLE: return sa <= sb;
	default: return true;
	}
}

static uint64_t ref_wide(const struct dt_image_prog *p, uint32_t pc)
{
	const struct bpf_insn *in = &p->insns[pc];

	for (uint32_t i = 0; i < p->nrelocs; i++) {
		const struct dt_image_reloc *rel = &p->relocs[i];

		if (rel->insn == pc)
			return (uint64_t)(uintptr_t)region + (rel->value ? value_at(rel->map) + rel->off :
			    DESC_AT + rel->map * sizeof(maps[0]));
	}
	if (in->src_reg == BPF_PSEUDO_FUNC)
		return (uint64_t)((int64_t)pc + 1 + in->imm);
	return (uint64_t)(uint32_t)in[1].imm << 32 | (uint32_t)in->imm;
}

static uint64_t ref_loop(struct reference *f, const uint64_t *r)
{
	uint64_t i = 0;

	while (i < r[1]) {
		uint64_t args[5] = { i++, r[3], 0, 0, 0 };

		if (ref_call(f, (uint32_t)r[2], args))
			break;
	}
	return i;
}

static void ref_helper(struct reference *f, const struct bpf_insn *in, uint32_t pc, uint64_t *r)
{
	if (in->src_reg == BPF_PSEUDO_CALL)
		r[0] = ref_call(f, (uint32_t)((int64_t)pc + 1 + in->imm), &r[1]);
	else if (in->imm == BPF_FUNC_get_smp_processor_id)
		r[0] = the_firing.cpu;
	else if (in->imm == BPF_FUNC_get_attach_cookie)
		r[0] = the_firing.cookie;
	else if (in->imm == BPF_FUNC_get_current_pid_tgid)
		r[0] = (uint64_t)the_firing.pid << 32 | the_firing.tid;
	else if (in->imm == BPF_FUNC_loop)
		r[0] = ref_loop(f, r);
	else
		r[0] = (in->imm == BPF_FUNC_map_lookup_elem ? helper_lookup : helper_mix)(r[1], r[2], r[3],
		    r[4], r[5], &the_firing);
}

/* One instruction that is neither a jump nor an exit. */
static void ref_insn(struct reference *f, uint32_t pc, uint64_t *r)
{
	const struct bpf_insn *in = &f->p->insns[pc];
	unsigned size = ref_size(in);

	switch (BPF_CLASS(in->code)) {
	case BPF_ALU: case BPF_ALU64: ref_alu(in, r); break;
	case BPF_LD: r[in->dst_reg] = ref_wide(f->p, pc); break;
	case BPF_LDX: {
		uint64_t v = ref_load(r[in->src_reg] + (uint64_t)in->off, size);

		if (BPF_MODE(in->code) == 0x80)
			v = (uint64_t)((int64_t)(v << (64 - 8 * size)) >> (64 - 8 * size));
		r[in->dst_reg] = v;
		break;
	}
	case BPF_ST: ref_store(r[in->dst_reg] + (uint64_t)in->off, size, (uint64_t)in->imm); break;
	case BPF_STX:
		if (BPF_MODE(in->code) == BPF_ATOMIC)
			ref_atomic(in, r);
		else
			ref_store(r[in->dst_reg] + (uint64_t)in->off, size, r[in->src_reg]);
		break;
	default: ref_helper(f, in, pc, r);
	}
}

static uint64_t ref_call(struct reference *f, uint32_t pc, const uint64_t *args)
{
	uint64_t stack[64] = { 0 }, r[11] = { 0 };

	memcpy(&r[1], args, 40);
	r[10] = (uint64_t)(uintptr_t)(stack + 64);
	for (;;) {
		const struct bpf_insn *in = &f->p->insns[pc];
		unsigned class = BPF_CLASS(in->code), op = BPF_OP(in->code);

		f->steps++;
		if (in->code == (BPF_JMP | BPF_EXIT))
			return r[0];
		if ((class == BPF_JMP || class == BPF_JMP32) && op != BPF_CALL) {
			if (ref_taken(in, r))
				pc += (uint32_t)(in->code == (BPF_JMP32 | BPF_JA) ? in->imm : in->off);
		} else {
			ref_insn(f, pc, r);
			pc += class == BPF_LD;
		}
		pc++;
	}
}

#endif
