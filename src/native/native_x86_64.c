/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * x86-64. r1 to r5 of eBPF are where C passes arguments, r0 is rax, r6 to r9 are registers that C saves, r10
 * is rbp, under which the stack of eBPF is. r10 and r11 are free for use within one instruction of eBPF. The
 * firing stays in r9 in a function that calls nothing, and is kept in r14 in others.
 */
#include "native/asm_x86_64.h"

enum { RESULT = X_AX, SIXTH = X_9, KEPT_FIRING = X_14, T0 = X_10, T1 = X_11 };

static int reg(unsigned r)
{
	static const uint8_t regs[] = { X_AX, X_DI, X_SI, X_DX, X_CX, X_8, X_BX, X_13, X_15, X_12, X_BP };

	return regs[r];
}

static int firing(const struct dt_native *n) { return n->in->leaf ? SIXTH : KEPT_FIRING; }

/* ---- functions ---- */

static unsigned saved(const struct dt_native *n, int *regs)
{
	unsigned count = 0;

	for (unsigned i = 0; i < 4; i++)
		if (n->in->used >> i & 1)
			regs[count++] = reg(BR6 + i);
	if (!n->in->leaf)
		regs[count++] = KEPT_FIRING;
	return count;
}

/* One that calls nothing and has neither stack nor registers to save needs none. */
static bool has_frame(const struct dt_native *n) { return !n->in->leaf || n->in->depth || n->in->used; }

static void begin(struct dt_native *n)
{
	int regs[5];
	unsigned count = saved(n, regs);
	/* calls find the stack aligned to 16 */
	int32_t room = (int32_t)n->in->depth + (count & 1 && !n->in->leaf ? 8 : 0);

	if (!has_frame(n))
		return;
	x_push(n, X_BP);
	x_mov(n, true, X_BP, X_SP);
	if (room)
		x_arith(n, true, X_SUB, X_SP, room);
	for (unsigned i = 0; i < count; i++)
		x_push(n, regs[i]);
	if (!n->in->leaf)
		x_mov(n, true, KEPT_FIRING, SIXTH);
}

static void leave(struct dt_native *n)
{
	static const uint8_t op[] = { 0xc9 };
	int regs[5];

	if (!has_frame(n))
		return;
	for (unsigned i = saved(n, regs); i-- > 0;)
		x_pop(n, regs[i]);
	x_bytes(n, 1, op);
}

static void make_exit(struct dt_native *n)
{
	static const uint8_t ret[] = { 0xc3 };

	leave(n);
	x_bytes(n, 1, ret);
}

/* ---- arithmetic ---- */

/* The quotient in rax, the remainder in rdx; what was in them comes back unless it is the destination. */
static void divide_now(struct dt_native *n, bool w, bool sign, bool rem, int d)
{
	static const uint8_t extend[] = { 0x48, 0x99 };

	if (d != X_AX)
		x_mov(n, true, T0, X_AX);
	if (d != X_DX)
		x_push(n, X_DX);
	x_mov(n, true, X_AX, d);
	if (sign)
		x_bytes(n, w ? 2 : 1, w ? extend : extend + 1);
	else
		x_imm(n, X_DX, 0);
	x_reg(n, w, 0xf7, sign ? 7 : 6, T1);
	x_mov(n, true, d, rem ? X_DX : X_AX);
	if (d != X_DX)
		x_pop(n, X_DX);
	if (d != X_AX)
		x_mov(n, true, X_AX, T0);
}

/* By T1. The instruction faults where eBPF has a result: by 0, and the lowest number by -1. */
static void divide(struct dt_native *n, bool w, const struct bpf_insn *in, int d)
{
	bool sign = in->off == 1, rem = BPF_OP(in->code) == BPF_MOD;
	bool known = BPF_SRC(in->code) == BPF_K, maybe_minus = sign && (!known || in->imm == -1);
	size_t zero = 0, minus = 0, end, end2 = 0;

	if (!known || in->imm == 0) {
		x_reg(n, w, X_TEST, T1, T1);
		zero = x_ahead(n, X_E);
	}
	if (maybe_minus) {
		x_arith(n, w, X_CMP, T1, -1);
		minus = x_ahead(n, X_E);
	}
	divide_now(n, w, sign, rem, d);
	if (!zero && !minus)
		return;
	end = x_ahead(n, -1);
	if (zero) {
		x_here(n, zero);
		if (rem)
			x_mov(n, w, d, d);
		else
			x_imm(n, d, 0);
	}
	if (minus) {
		end2 = zero ? x_ahead(n, -1) : 0;
		x_here(n, minus);
		if (rem)
			x_imm(n, d, 0);
		else
			x_reg(n, w, 0xf7, 3, d);
	}
	x_here(n, end);
	if (end2)
		x_here(n, end2);
}

/* Counts are in cl. */
static void shift(struct dt_native *n, bool w, unsigned op, int d, int s)
{
	if (s == X_CX) {
		x_reg(n, w, 0xd3, (int)op, d);
	} else if (d == X_CX) {
		x_mov(n, true, T1, X_CX);
		x_mov(n, true, X_CX, s);
		x_reg(n, w, 0xd3, (int)op, T1);
		x_mov(n, true, X_CX, T1);
	} else {
		x_mov(n, true, T1, X_CX);
		x_mov(n, true, X_CX, s);
		x_reg(n, w, 0xd3, (int)op, d);
		x_mov(n, true, X_CX, T1);
	}
}

static void arith(struct dt_native *n, bool w, const struct bpf_insn *in, int d, int s)
{
	switch (BPF_OP(in->code)) {
	case BPF_ADD: x_reg(n, w, 0x01, s, d); break;
	case BPF_SUB: x_reg(n, w, 0x29, s, d); break;
	case BPF_AND: x_reg(n, w, 0x21, s, d); break;
	case BPF_OR: x_reg(n, w, 0x09, s, d); break;
	case BPF_XOR: x_reg(n, w, 0x31, s, d); break;
	case BPF_MUL: x_reg(n, w, X_IMUL, d, s); break;
	case BPF_LSH: shift(n, w, X_SHL, d, s); break;
	case BPF_RSH: shift(n, w, X_SHR, d, s); break;
	case BPF_ARSH: shift(n, w, X_SAR, d, s); break;
	case BPF_DIV: case BPF_MOD:
		x_mov(n, true, T1, s);
		divide(n, w, in, d);
		break;
	default: dt_native_unknown(n, in);
	}
}

static void move(struct dt_native *n, bool w, const struct bpf_insn *in)
{
	int d = reg(in->dst_reg), s = reg(in->src_reg);

	if (BPF_SRC(in->code) == BPF_K)
		x_imm(n, d, w ? (uint64_t)in->imm : (uint32_t)in->imm);
	else if (in->off == 0)
		x_mov(n, w, d, s);
	else if (!dt_is_extension(in))
		dt_native_unknown(n, in);
	else if (in->off == 32)
		x_reg(n, X_W, 0x63, d, s);
	else {
		/* sil and the like: here it is the second operand that is a byte */
		x_mov(n, true, T1, s);
		x_reg(n, w, in->off == 8 ? 0x1be : 0x1bf, d, T1);
	}
}

/* Bytes turned round, or not, and all above `bits` cleared. */
static void swap(struct dt_native *n, const struct bpf_insn *in)
{
	bool turn = BPF_CLASS(in->code) == BPF_ALU64 || BPF_SRC(in->code) == BPF_TO_BE;
	int d = reg(in->dst_reg);
	uint8_t rex = (uint8_t)(0x40 | (in->imm == 64 ? 8 : 0) | (d > 7));
	uint8_t op[] = { rex, 0x0f, (uint8_t)(0xc8 | (d & 7)) };

	switch (in->imm) {
	case 16:
		if (turn) {
			x_reg(n, X_16, 0xc1, X_ROL, d);
			x_number(n, 8, 1);
		}
		x_reg(n, 0, 0x1b7, d, d);
		break;
	case 32: case 64:
		if (turn)
			x_bytes(n, 3, op);
		else if (in->imm == 32)
			x_mov(n, false, d, d);
		break;
	default: dt_native_unknown(n, in);
	}
}

/* By a power of two, which needs no division. */
static bool divide_by_power(struct dt_native *n, bool w, const struct bpf_insn *in, int d)
{
	uint64_t v = w ? (uint64_t)in->imm : (uint32_t)in->imm;

	if (in->off || !dt_is_power2(v))
		return false;
	if (BPF_OP(in->code) == BPF_DIV)
		x_shift(n, w, X_SHR, d, (unsigned)__builtin_ctzll(v));
	else
		x_arith(n, false, X_AND, d, (int32_t)(uint32_t)(v - 1));
	return true;
}

static void arith_number(struct dt_native *n, bool w, const struct bpf_insn *in, int d)
{
	unsigned by = (unsigned)in->imm & (w ? 63 : 31);

	switch (BPF_OP(in->code)) {
	case BPF_ADD: x_arith(n, w, X_ADD, d, in->imm); break;
	case BPF_SUB: x_arith(n, w, X_SUB, d, in->imm); break;
	case BPF_AND: x_arith(n, w && in->imm < 0, X_AND, d, in->imm); break;
	case BPF_OR: x_arith(n, w, X_OR, d, in->imm); break;
	case BPF_XOR: x_arith(n, w, X_XOR, d, in->imm); break;
	case BPF_MUL: x_mul(n, w, d, in->imm); break;
	case BPF_LSH: x_shift(n, w, X_SHL, d, by); break;
	case BPF_RSH: x_shift(n, w, X_SHR, d, by); break;
	case BPF_ARSH: x_shift(n, w, X_SAR, d, by); break;
	case BPF_DIV: case BPF_MOD:
		if (!divide_by_power(n, w, in, d)) {
			x_imm(n, T1, (uint64_t)in->imm);
			divide(n, w, in, d);
		}
		break;
	default: dt_native_unknown(n, in);
	}
}

static void alu(struct dt_native *n, const struct bpf_insn *in)
{
	bool w = BPF_CLASS(in->code) == BPF_ALU64;
	int d = reg(in->dst_reg);

	if (BPF_OP(in->code) == BPF_MOV)
		move(n, w, in);
	else if (BPF_OP(in->code) == BPF_END)
		swap(n, in);
	else if (BPF_OP(in->code) == BPF_NEG)
		x_reg(n, w, 0xf7, 3, d);
	else if (BPF_SRC(in->code) == BPF_X)
		arith(n, w, in, d, reg(in->src_reg));
	else
		arith_number(n, w, in, d);
}

/* ---- memory ---- */

static unsigned load_op(unsigned size, bool sign)
{
	switch (size) {
	case BPF_B: return sign ? 0x1be : 0x1b6;
	case BPF_H: return sign ? 0x1bf : 0x1b7;
	case BPF_W: return sign ? 0x63 : X_LOAD;
	default: return X_LOAD;
	}
}

static void load(struct dt_native *n, const struct bpf_insn *in)
{
	unsigned size = BPF_SIZE(in->code);
	bool sign = BPF_MODE(in->code) == DT_MEMSX;

	if (BPF_MODE(in->code) != BPF_MEM && (!sign || size == BPF_DW))
		dt_native_unknown(n, in);
	else
		x_mem(n, sign || size == BPF_DW ? X_W : 0, load_op(size, sign), reg(in->dst_reg),
		    reg(in->src_reg), in->off);
}

static unsigned store_flags(unsigned size)
{
	return size == BPF_DW ? X_W : size == BPF_H ? X_16 : size == BPF_B ? X_BYTE : 0;
}

static void store_number(struct dt_native *n, const struct bpf_insn *in)
{
	unsigned size = BPF_SIZE(in->code);

	if (BPF_MODE(in->code) != BPF_MEM) {
		dt_native_unknown(n, in);
		return;
	}
	x_mem(n, store_flags(size), size == BPF_B ? 0xc6 : 0xc7, 0, reg(in->dst_reg), in->off);
	x_number(n, (uint32_t)in->imm, size == BPF_B ? 1 : size == BPF_H ? 2 : 4);
}

/* AND, OR and XOR that give the old value back: no instruction does. op: opcode of reg, reg. */
static void fetch_loop(struct dt_native *n, unsigned w, unsigned op, int s, int base, int off)
{
	int from = base == X_AX ? T0 : base;
	size_t again;

	x_mov(n, true, T0, X_AX);
	x_mem(n, w, X_LOAD, X_AX, from, off);
	again = n->len;
	x_mov(n, true, T1, X_AX);
	x_reg(n, w, op, s == X_AX ? T0 : s, T1);
	x_mem(n, w | X_LOCK, 0x1b1, T1, from, off);
	x_back(n, X_NE, again);
	if (s != X_AX) {
		x_mov(n, true, s, X_AX);
		x_mov(n, true, X_AX, T0);
	}
}

static void make_atomic(struct dt_native *n, const struct bpf_insn *in)
{
	unsigned size = BPF_SIZE(in->code), w = size == BPF_DW ? X_W : 0, op = 0;
	int s = reg(in->src_reg), base = reg(in->dst_reg);

	switch (in->imm & ~BPF_FETCH) {
	case BPF_ADD: op = in->imm & BPF_FETCH ? 0x1c1 : 0x01; break;
	case BPF_OR: op = 0x09; break;
	case BPF_AND: op = 0x21; break;
	case BPF_XOR: op = 0x31; break;
	case BPF_XCHG & ~BPF_FETCH: op = in->imm == BPF_XCHG ? 0x87 : 0; break;
	case BPF_CMPXCHG & ~BPF_FETCH: op = in->imm == BPF_CMPXCHG ? 0x1b1 : 0; break;
	default: break;
	}
	if (!op || (size != BPF_DW && size != BPF_W) || in->src_reg == BFP) {
		dt_native_unknown(n, in);
	} else if (in->imm & BPF_FETCH && (op == 0x09 || op == 0x21 || op == 0x31)) {
		fetch_loop(n, w, op, s, base, in->off);
	} else {
		x_mem(n, w | X_LOCK, op, s, base, in->off);
		if (in->imm == BPF_CMPXCHG && !w)	/* rax is not written where they are equal */
			x_mov(n, false, X_AX, X_AX);
	}
}

static void store(struct dt_native *n, const struct bpf_insn *in)
{
	unsigned size = BPF_SIZE(in->code);

	if (BPF_MODE(in->code) == BPF_ATOMIC)
		make_atomic(n, in);
	else if (BPF_MODE(in->code) == BPF_MEM)
		x_mem(n, store_flags(size), size == BPF_B ? 0x88 : X_MOV, reg(in->src_reg), reg(in->dst_reg),
		    in->off);
	else
		dt_native_unknown(n, in);
}

/* ---- jumps ---- */

static void compare(struct dt_native *n, const struct bpf_insn *in, bool w, bool set)
{
	int d = reg(in->dst_reg);

	if (BPF_SRC(in->code) == BPF_X) {
		x_reg(n, w, set ? X_TEST : 0x39, reg(in->src_reg), d);
	} else if (set) {
		x_reg(n, w, 0xf7, 0, d);
		x_number(n, (uint32_t)in->imm, 4);
	} else if (in->imm == 0) {
		x_reg(n, w, X_TEST, d, d);
	} else {
		x_arith(n, w, X_CMP, d, in->imm);
	}
}

static void make_jump(struct dt_native *n, const struct bpf_insn *in)
{
	static const uint8_t conds[] = { [BPF_JEQ >> 4] = X_E, [BPF_JGT >> 4] = X_A, [BPF_JGE >> 4] = X_AE,
		[BPF_JSET >> 4] = X_NE, [BPF_JNE >> 4] = X_NE, [BPF_JSGT >> 4] = X_G, [BPF_JSGE >> 4] = X_GE,
		[BPF_JLT >> 4] = X_B, [BPF_JLE >> 4] = X_BE, [BPF_JSLT >> 4] = X_L, [BPF_JSLE >> 4] = X_LE };
	unsigned op = BPF_OP(in->code);
	int64_t to;

	dt_native_jumps(in, n->insn, &to);
	if (op == BPF_JA) {
		if (!dt_native_comes_next(n, (uint32_t)to))
			x_jump(n, -1, (uint32_t)to);
	} else if (op > BPF_JSLE) {
		dt_native_unknown(n, in);
	} else {
		compare(n, in, BPF_CLASS(in->code) == BPF_JMP, op == BPF_JSET);
		x_jump(n, conds[op >> 4], (uint32_t)to);
	}
}

/* ---- calls ---- */

static void load_of_firing(struct dt_native *n, int32_t func)
{
	if (func == BPF_FUNC_get_smp_processor_id) {
		x_mem(n, 0, X_LOAD, RESULT, firing(n), DT_AT_CPU);
	} else if (func == BPF_FUNC_get_attach_cookie) {
		x_mem(n, X_W, X_LOAD, RESULT, firing(n), DT_AT_COOKIE);
	} else {
		x_mem(n, X_W, X_LOAD, RESULT, firing(n), DT_AT_IDS);
	}
}

static void make_call(struct dt_native *n, const struct bpf_insn *in)
{
	if (in->src_reg == BPF_PSEUDO_CALL) {
		x_mov(n, true, SIXTH, KEPT_FIRING);
		x_go(n, 0xe8, n->place->at + dt_native_func(n, n->insn)->at);
	} else if (in->src_reg) {
		dt_native_unknown(n, in);
	} else if (dt_native_is_load(in->imm)) {
		load_of_firing(n, in->imm);
	} else if (in->imm == BPF_FUNC_tail_call) {
		uint64_t at = dt_native_chain(n, n->insn);

		x_mov(n, true, SIXTH, firing(n));
		leave(n);
		x_go(n, 0xe9, at);
	} else {
		uint64_t at = dt_native_helper(n, (uint32_t)in->imm);

		x_mov(n, true, SIXTH, KEPT_FIRING);
		x_go(n, 0xe8, at);
	}
}

/* ---- lookups ---- */

static bool can_scale(uint32_t stride) { return dt_is_power2(stride) && stride <= 8; }

/* The register that has the index. */
static int index_of(struct dt_native *n, const struct dt_lookup *l)
{
	int r = reg(l->reg);

	if (l->key == DT_KEY_REGISTER && l->inside && can_scale(l->map->stride) && r != RESULT)
		return r;		/* a mask has left nothing above it */
	if (l->key == DT_KEY_REGISTER)
		x_mov(n, false, T1, r);
	else
		x_mem(n, 0, X_LOAD, T1, l->key == DT_KEY_FRAME ? X_BP : r, l->off);
	return T1;
}

/* rax += index * stride */
static void add_index(struct dt_native *n, int index, uint32_t stride)
{
	if (can_scale(stride)) {
		uint8_t lea[] = { (uint8_t)(0x48 | (index > 7 ? 2 : 0)), X_LEA, 0x04,
			(uint8_t)(__builtin_ctz(stride) << 6 | (index & 7) << 3 | X_AX) };

		x_bytes(n, sizeof(lea), lea);
	} else {
		x_mul(n, true, index, (int32_t)stride);
		x_reg(n, X_W, 0x01, index, RESULT);
	}
}

static void add_cpu(struct dt_native *n, uint32_t size)
{
	x_mem(n, 0, X_LOAD, T0, firing(n), DT_AT_CPU);
	if (dt_is_power2(size))
		x_shift(n, true, X_SHL, T0, (unsigned)__builtin_ctz(size));
	else
		x_mul(n, true, T0, (int32_t)size);
	x_reg(n, X_W, 0x01, T0, RESULT);
}

static void lookup(struct dt_native *n)
{
	struct dt_lookup l;
	size_t skip = 0;
	int index = 0;

	dt_native_lookup(n, n->insn, &l);
	if (l.key != DT_KEY_NUMBER)
		index = index_of(n, &l);
	if (!l.inside) {
		x_imm(n, RESULT, 0);
		x_arith(n, false, X_CMP, index, (int32_t)l.map->max_entries);
		if (l.test == DT_TEST_MISSING)
			x_jump(n, X_AE, l.to);
		else
			skip = x_ahead(n, X_AE);
	}
	x_at(n, X_W, X_LEA, RESULT,
	    l.map->at + (l.key == DT_KEY_NUMBER ? (uint64_t)l.number * l.map->stride : 0));
	if (l.key != DT_KEY_NUMBER)
		add_index(n, index, l.map->stride);
	if (l.map->type == DT_AGENT_CPU_ARRAY)
		add_cpu(n, l.map->max_entries * l.map->stride);
	if (l.test == DT_TEST_FOUND && !dt_native_comes_next(n, l.to))
		x_jump(n, -1, l.to);
	if (skip)
		x_here(n, skip);
}

/* ---- all of them ---- */

static void wide_number(struct dt_native *n, const struct bpf_insn *in)
{
	int d = reg(in->dst_reg);

	if (n->note[n->insn].make == DT_MAKE_LOAD) {
		unsigned size = BPF_SIZE(in[2].code);

		x_at(n, size == BPF_DW ? X_W : 0, load_op(size, false), d,
		    dt_native_place(n, n->insn) + (uint64_t)(int64_t)in[2].off);
	} else if (n->note[n->insn].reloc) {
		x_at(n, X_W, X_LEA, d, dt_native_place(n, n->insn));
	} else if (in->src_reg == BPF_PSEUDO_FUNC) {
		x_at(n, X_W, X_LEA, d, n->place->at + dt_native_func(n, n->insn)->at);
	} else if (in->src_reg) {
		dt_native_unknown(n, in);
	} else {
		x_imm(n, d, dt_wide_imm(in));
	}
}

static void insn(struct dt_native *n, const struct bpf_insn *in)
{
	if (n->note[n->insn].make == DT_MAKE_SUM) {
		x_mem(n, X_W, X_LEA, reg(in->dst_reg), reg(in->src_reg), in[1].imm);
		return;
	}
	if (n->note[n->insn].make == DT_MAKE_LOOKUP) {
		lookup(n);
		return;
	}
	switch (BPF_CLASS(in->code)) {
	case BPF_ALU: case BPF_ALU64: alu(n, in); break;
	case BPF_LD: wide_number(n, in); break;
	case BPF_LDX: load(n, in); break;
	case BPF_ST: store_number(n, in); break;
	case BPF_STX: store(n, in); break;
	default:
		if (in->code == (BPF_JMP | BPF_EXIT))
			make_exit(n);
		else if (in->code == (BPF_JMP | BPF_CALL))
			make_call(n, in);
		else if (BPF_OP(in->code) == BPF_CALL || BPF_OP(in->code) == BPF_EXIT)
			dt_native_unknown(n, in);
		else
			make_jump(n, in);
	}
}

const struct dt_target dt_target_x86_64 = { .widens = false, .reach = 128, .begin = begin, .insn = insn };
