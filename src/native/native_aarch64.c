/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * aarch64. r1 to r5 of eBPF are x0 to x4, where C passes arguments; r0 is x7, so that a call's arguments need
 * no moves, and is copied from and to x0. r10 has no register: the stack pointer stays where it is, and all
 * offsets are from there. x13 to x17 are free for use within one instruction of eBPF.
 *
 *	calls something		r6 to r9 are x19 to x22, the firing is x23; those in use are saved
 *	calls nothing		r6 to r9 are x9 to x12, the firing stays in x5; nothing is saved
 */
#include "native/native_aarch64.h"

/* A register to read: r10 is computed into T0. */
static int src(struct dt_native *n, unsigned r)
{
	if (r != BFP)
		return dt_aarch64_reg(n, r);
	a_addi(n, true, T0, A_SP, n->in->depth, T0);
	return T0;
}

static int firing(const struct dt_native *n) { return n->in->leaf ? SIXTH : KEPT_FIRING; }

/* ---- functions ---- */

/* Registers to save, after x29 and x30; returns how many. */
static unsigned saved(const struct dt_native *n, int *regs)
{
	unsigned count = 0;

	for (int i = 0; i < 4; i++)
		if (n->in->used >> i & 1)
			regs[count++] = 19 + i;
	regs[count++] = KEPT_FIRING;
	return count;
}

static void save_or_load(struct dt_native *n, bool load)
{
	int regs[5];
	unsigned count = saved(n, regs);

	for (unsigned i = 0; i < count; i += 2) {
		uint32_t at = 2 + i;

		if (i + 1 < count)
			a_put(n, (load ? 0xa9400000 : 0xa9000000) | at << 15 | (uint32_t)regs[i + 1] << 10 |
			    A_SP << 5 | (uint32_t)regs[i]);
		else
			a_memory(n, load ? A_LOAD : A_STORE, 3, regs[i], A_SP, at * 8, T0);
	}
}

static uint32_t save_area(const struct dt_native *n)
{
	int regs[5];

	return 16 + ((saved(n, regs) + 1) / 2) * 16;
}

static void begin(struct dt_native *n)
{
	if (!n->in->leaf) {
		uint32_t words = save_area(n) / 8;

		a_put(n, 0xa9800000 | (-words & 0x7f) << 15 | A_LR << 10 | A_SP << 5 | 29);
		save_or_load(n, false);
		a_addi(n, true, 29, A_SP, 0, T0);
		a_mov(n, true, KEPT_FIRING, SIXTH);
	}
	if (n->in->depth)
		a_addi(n, true, A_SP, A_SP, -(int64_t)n->in->depth, T0);
}

static void leave(struct dt_native *n)
{
	if (n->in->depth)
		a_addi(n, true, A_SP, A_SP, n->in->depth, T0);
	if (n->in->leaf)
		return;
	save_or_load(n, true);
	a_put(n, 0xa8c00000 | (save_area(n) / 8) << 15 | A_LR << 10 | A_SP << 5 | 29);
}

static void make_exit(struct dt_native *n)
{
	a_mov(n, true, 0, RESULT);
	leave(n);
	a_put(n, 0xd65f03c0);
}

/* ---- arithmetic ---- */

static void arith(struct dt_native *n, bool w, const struct bpf_insn *in, int d, int s)
{
	bool sign = in->off == 1;

	switch (BPF_OP(in->code)) {
	case BPF_ADD: a_rrr(n, w, A_ADD, d, d, s, 0); break;
	case BPF_SUB: a_rrr(n, w, A_SUB, d, d, s, 0); break;
	case BPF_AND: a_rrr(n, w, A_AND, d, d, s, 0); break;
	case BPF_OR: a_rrr(n, w, A_ORR, d, d, s, 0); break;
	case BPF_XOR: a_rrr(n, w, A_EOR, d, d, s, 0); break;
	case BPF_LSH: a_rrr(n, w, A_LSLV, d, d, s, 0); break;
	case BPF_RSH: a_rrr(n, w, A_LSRV, d, d, s, 0); break;
	case BPF_ARSH: a_rrr(n, w, A_ASRV, d, d, s, 0); break;
	case BPF_MUL: a_rrr(n, w, A_MADD | A_ZR << 10, d, d, s, 0); break;
	/* division by zero is 0 on this machine, and so the remainder is what was divided */
	case BPF_DIV: a_rrr(n, w, sign ? A_SDIV : A_UDIV, d, d, s, 0); break;
	case BPF_MOD:
		a_rrr(n, w, sign ? A_SDIV : A_UDIV, T2, d, s, 0);
		a_rrr(n, w, A_MSUB | (uint32_t)d << 10, d, T2, s, 0);
		break;
	default: dt_native_unknown(n, in);
	}
}

static void move(struct dt_native *n, bool w, const struct bpf_insn *in)
{
	int d = dt_aarch64_reg(n, in->dst_reg);

	if (BPF_SRC(in->code) == BPF_K)
		a_imm(n, w, d, w ? (uint64_t)in->imm : (uint32_t)in->imm);
	else if (in->off && !dt_is_extension(in))
		dt_native_unknown(n, in);
	else if (in->off)
		a_extract(n, w, true, d, src(n, in->src_reg), 0, (unsigned)in->off & 63);
	else if (in->src_reg == BFP && w)
		a_addi(n, true, d, A_SP, n->in->depth, T0);
	else
		a_mov(n, w, d, src(n, in->src_reg));
}

/* Bytes turned round, or not, and all above `bits` cleared. */
static void swap(struct dt_native *n, const struct bpf_insn *in)
{
	bool turn = BPF_CLASS(in->code) == BPF_ALU64 || BPF_SRC(in->code) == BPF_TO_BE;
	int d = dt_aarch64_reg(n, in->dst_reg);
	uint32_t regs = (uint32_t)d << 5 | (uint32_t)d;

	switch (in->imm) {
	case 16:
		if (turn)
			a_put(n, 0x5ac00400 | regs);
		a_extract(n, false, false, d, d, 0, 16);
		break;
	case 32:
		if (turn)
			a_put(n, 0x5ac00800 | regs);
		else
			a_mov(n, false, d, d);
		break;
	case 64:
		if (turn)
			a_put(n, 0xdac00c00 | regs);
		break;
	default: dt_native_unknown(n, in);
	}
}

/* With a number, where the instruction has a form for it; false: it has no such form. */
static bool arith_number(struct dt_native *n, bool w, const struct bpf_insn *in, int d, int64_t k)
{
	uint64_t v = w ? (uint64_t)k : (uint32_t)k;
	unsigned bits = w ? 64 : 32, by = (unsigned)k & (bits - 1);
	bool power = dt_is_power2(v) && in->off == 0;
	unsigned log = power ? (unsigned)__builtin_ctzll(v) : 0;

	switch (BPF_OP(in->code)) {
	case BPF_ADD: a_addi(n, w, d, d, k, T1); return true;
	case BPF_SUB: a_addi(n, w, d, d, -k, T1); return true;
	case BPF_AND: return a_logical(n, w, A_AND, d, d, v);
	case BPF_OR: return a_logical(n, w, A_ORR, d, d, v);
	case BPF_XOR: return a_logical(n, w, A_EOR, d, d, v);
	case BPF_LSH: a_shift_left(n, w, d, d, by); return true;
	case BPF_RSH: a_extract(n, w, false, d, d, by, bits - by); return true;
	case BPF_ARSH: a_extract(n, w, true, d, d, by, bits - by); return true;
	case BPF_MUL:
		if (power)
			a_shift_left(n, w, d, d, log);
		return power;
	case BPF_DIV:
		if (power)
			a_extract(n, w, false, d, d, log, bits - log);
		return power;
	case BPF_MOD: return power && a_logical(n, w, A_AND, d, d, v - 1);
	default: return false;
	}
}

static void alu(struct dt_native *n, const struct bpf_insn *in)
{
	bool w = BPF_CLASS(in->code) == BPF_ALU64;
	int d = dt_aarch64_reg(n, in->dst_reg);

	if (BPF_OP(in->code) == BPF_MOV)
		move(n, w, in);
	else if (BPF_OP(in->code) == BPF_END)
		swap(n, in);
	else if (BPF_OP(in->code) == BPF_NEG)
		a_rrr(n, w, A_SUB, d, A_ZR, d, 0);
	else if (BPF_SRC(in->code) == BPF_X)
		arith(n, w, in, d, src(n, in->src_reg));
	else if (!arith_number(n, w, in, d, in->imm)) {
		a_imm(n, w, T1, w ? (uint64_t)in->imm : (uint32_t)in->imm);
		arith(n, w, in, d, T1);
	}
}

/* ---- memory ---- */

static void access(struct dt_native *n, enum a_access what, unsigned size, int rt, unsigned base, int off)
{
	if (base == BFP)
		a_memory(n, what, size, rt, A_SP, (int64_t)n->in->depth + off, T1);
	else
		a_memory(n, what, size, rt, dt_aarch64_reg(n, base), off, T1);
}

static void load(struct dt_native *n, const struct bpf_insn *in)
{
	bool sign = BPF_MODE(in->code) == DT_MEMSX;

	if (BPF_MODE(in->code) != BPF_MEM && (!sign || BPF_SIZE(in->code) == BPF_DW))
		dt_native_unknown(n, in);
	else
		access(n, sign ? A_LOAD_SIGNED : A_LOAD, dt_aarch64_log(in), dt_aarch64_reg(n, in->dst_reg),
		    in->src_reg, in->off);
}

static void store_number(struct dt_native *n, const struct bpf_insn *in)
{
	if (BPF_MODE(in->code) != BPF_MEM) {
		dt_native_unknown(n, in);
		return;
	}
	if (in->imm)
		a_imm(n, BPF_SIZE(in->code) == BPF_DW, T0, (uint64_t)in->imm);
	access(n, A_STORE, dt_aarch64_log(in), in->imm ? T0 : A_ZR, in->dst_reg, in->off);
}

static void store(struct dt_native *n, const struct bpf_insn *in)
{
	if (BPF_MODE(in->code) == BPF_ATOMIC)
		dt_aarch64_atomic(n, in);
	else if (BPF_MODE(in->code) == BPF_MEM)
		access(n, A_STORE, dt_aarch64_log(in), src(n, in->src_reg), in->dst_reg, in->off);
	else
		dt_native_unknown(n, in);
}

/* ---- jumps ---- */

static void jump(struct dt_native *n, uint32_t to)
{
	int64_t d;

	if (dt_native_comes_next(n, to))
		return;
	d = dt_native_jump(n, to);
	if (d < -(1 << 27) || d >= 1 << 27)
		dt_native_fail(n, -ERANGE, "program %.16s is too large", n->prog->name);
	a_put(n, 0x14000000 | ((uint32_t)(d >> 2) & 0x3ffffff));
}

/*
 * A branch of 19 bits; turned: the bit that makes it the opposite one. One that goes too far jumps over a
 * jump.
 */
static void branch(struct dt_native *n, uint32_t op, uint32_t turned, uint32_t to)
{
	if (n->note[n->insn].wide) {
		a_put(n, (op ^ turned) | 2 << 5);
		jump(n, to);
	} else {
		int64_t d = dt_native_jump(n, to);

		a_put(n, op | ((uint32_t)(d >> 2) & 0x7ffff) << 5);
	}
}

static void compare(struct dt_native *n, const struct bpf_insn *in, bool w, bool set)
{
	int d = src(n, in->dst_reg);
	uint64_t v = w ? (uint64_t)in->imm : (uint32_t)in->imm;

	if (BPF_SRC(in->code) == BPF_X) {
		int s = in->src_reg == in->dst_reg ? d : src(n, in->src_reg);

		a_rrr(n, w, set ? A_ANDS : A_SUBS, A_ZR, d, s, 0);
	} else if (set ? !a_logical(n, w, A_ANDS, A_ZR, d, v) : !a_cmpi(n, w, d, in->imm)) {
		a_imm(n, w, T1, v);
		a_rrr(n, w, set ? A_ANDS : A_SUBS, A_ZR, d, T1, 0);
	}
}

static void make_jump(struct dt_native *n, const struct bpf_insn *in)
{
	static const uint8_t conds[] = { [BPF_JEQ >> 4] = A_EQ, [BPF_JGT >> 4] = A_HI, [BPF_JGE >> 4] = A_HS,
		[BPF_JSET >> 4] = A_NE, [BPF_JNE >> 4] = A_NE, [BPF_JSGT >> 4] = A_GT, [BPF_JSGE >> 4] = A_GE,
		[BPF_JLT >> 4] = A_LO, [BPF_JLE >> 4] = A_LS, [BPF_JSLT >> 4] = A_LT,
		[BPF_JSLE >> 4] = A_LE };
	unsigned op = BPF_OP(in->code);
	bool w = BPF_CLASS(in->code) == BPF_JMP;
	int64_t to;

	dt_native_jumps(in, n->insn, &to);
	if (op == BPF_JA) {
		jump(n, (uint32_t)to);
	} else if (op > BPF_JSLE) {
		dt_native_unknown(n, in);
	} else if ((op == BPF_JEQ || op == BPF_JNE) && BPF_SRC(in->code) == BPF_K && in->imm == 0 &&
	    in->dst_reg != BFP) {
		branch(n, (op == BPF_JEQ ? 0x34000000 : 0x35000000) | (uint32_t)w << 31 |
		    (uint32_t)dt_aarch64_reg(n, in->dst_reg), 1u << 24, (uint32_t)to);
	} else {
		compare(n, in, w, op == BPF_JSET);
		branch(n, 0x54000000 | conds[op >> 4], 1, (uint32_t)to);
	}
}

/* ---- calls ---- */

static void load_of_firing(struct dt_native *n, int32_t func)
{
	if (func == BPF_FUNC_get_smp_processor_id) {
		a_memory(n, A_LOAD, 2, RESULT, firing(n), DT_AT_CPU, T0);
	} else if (func == BPF_FUNC_get_attach_cookie) {
		a_memory(n, A_LOAD, 3, RESULT, firing(n), DT_AT_COOKIE, T0);
	} else {
		a_memory(n, A_LOAD, 3, RESULT, firing(n), DT_AT_IDS, T0);
	}
}

static void make_call(struct dt_native *n, const struct bpf_insn *in)
{
	if (in->src_reg == BPF_PSEUDO_CALL) {
		a_mov(n, true, SIXTH, KEPT_FIRING);
		a_branch(n, true, n->place->at + dt_native_func(n, n->insn)->at);
		a_mov(n, true, RESULT, 0);
	} else if (in->src_reg) {
		dt_native_unknown(n, in);
	} else if (dt_native_is_load(in->imm)) {
		load_of_firing(n, in->imm);
	} else if (in->imm == BPF_FUNC_tail_call) {
		uint64_t at = dt_native_chain(n, n->insn);

		a_mov(n, true, SIXTH, firing(n));
		leave(n);
		a_branch(n, false, at);
	} else {
		uint64_t at = dt_native_helper(n, (uint32_t)in->imm);

		a_mov(n, true, SIXTH, KEPT_FIRING);
		a_branch(n, true, at);
		a_mov(n, true, RESULT, 0);
	}
}

/* ---- lookups ---- */

/* The register that has the index, of which the lower half counts. */
static int index_of(struct dt_native *n, const struct dt_lookup *l)
{
	if (l->key == DT_KEY_REGISTER && l->reg != BR0)
		return dt_aarch64_reg(n, l->reg);
	if (l->key == DT_KEY_REGISTER)
		a_mov(n, false, T1, RESULT);
	else
		access(n, A_LOAD, 2, T1, l->key == DT_KEY_FRAME ? BFP : l->reg, l->off);
	return T1;
}

static void add_index(struct dt_native *n, int index, uint32_t stride)
{
	if (dt_is_power2(stride) && stride <= 16) {	/* add x7, x7, index, uxtw #log */
		a_put(n, 0x8b204000 | (uint32_t)index << 16 | (uint32_t)__builtin_ctz(stride) << 10 |
		    RESULT << 5 | RESULT);
	} else {					/* umaddl x7, index, stride, x7 */
		a_imm(n, false, T2, stride);
		a_put(n, 0x9ba00000 | T2 << 16 | RESULT << 10 | (uint32_t)index << 5 | RESULT);
	}
}

static void add_cpu(struct dt_native *n, uint32_t size)
{
	a_memory(n, A_LOAD, 2, T2, firing(n), DT_AT_CPU, T0);
	if (dt_is_power2(size)) {
		a_rrr(n, true, A_ADD, RESULT, RESULT, T2, (unsigned)__builtin_ctz(size));
	} else {
		a_imm(n, false, T3, size);
		a_rrr(n, true, A_MADD | RESULT << 10, RESULT, T2, T3, 0);
	}
}

static void check_index(struct dt_native *n, const struct dt_lookup *l, int index)
{
	uint32_t max = l->map->max_entries;

	a_imm(n, true, RESULT, 0);
	if (!a_cmpi(n, false, index, max)) {
		a_imm(n, false, T2, max);
		a_rrr(n, false, A_SUBS, A_ZR, index, T2, 0);
	}
	if (l->test == DT_TEST_MISSING)
		branch(n, 0x54000000 | A_HS, 1, l->to);
}

static void lookup(struct dt_native *n)
{
	struct dt_lookup l;
	bool number, local;
	size_t skip;
	int index = 0;

	dt_native_lookup(n, n->insn, &l);
	number = l.key == DT_KEY_NUMBER;
	local = !l.inside && l.test != DT_TEST_MISSING;
	if (!number)
		index = index_of(n, &l);
	if (!l.inside)
		check_index(n, &l, index);
	skip = n->len;
	if (local)
		a_put(n, 0);		/* filled in below */
	a_address(n, RESULT, l.map->at + (number ? (uint64_t)l.number * l.map->stride : 0));
	if (!number)
		add_index(n, index, l.map->stride);
	if (l.map->type == DT_AGENT_CPU_ARRAY)
		add_cpu(n, l.map->max_entries * l.map->stride);
	if (l.test == DT_TEST_FOUND)
		jump(n, l.to);
	if (local && !n->err) {
		uint32_t word = 0x54000000 | (uint32_t)(n->len - skip) / 4 << 5 | A_HS;

		for (int i = 0; i < 4; i++)
			n->bytes[skip + (size_t)i] = (uint8_t)(word >> 8 * i);
	}
}

/* ---- all of them ---- */

static void wide_number(struct dt_native *n, const struct bpf_insn *in)
{
	int d = dt_aarch64_reg(n, in->dst_reg);

	if (n->note[n->insn].make == DT_MAKE_LOAD)
		a_load_at(n, dt_aarch64_log(in + 2), d,
		    dt_native_place(n, n->insn) + (uint64_t)(int64_t)in[2].off, d);
	else if (n->note[n->insn].reloc)
		a_address(n, d, dt_native_place(n, n->insn));
	else if (in->src_reg == BPF_PSEUDO_FUNC)
		a_address(n, d, n->place->at + dt_native_func(n, n->insn)->at);
	else if (in->src_reg)
		dt_native_unknown(n, in);
	else
		a_imm(n, true, d, dt_wide_imm(in));
}

static void sum(struct dt_native *n, const struct bpf_insn *in)
{
	if (in->src_reg == BFP)
		a_addi(n, true, dt_aarch64_reg(n, in->dst_reg), A_SP, (int64_t)n->in->depth + in[1].imm, T0);
	else
		a_addi(n, true, dt_aarch64_reg(n, in->dst_reg), dt_aarch64_reg(n, in->src_reg), in[1].imm,
		    T0);
}

static void insn(struct dt_native *n, const struct bpf_insn *in)
{
	if (n->note[n->insn].make == DT_MAKE_SUM) {
		sum(n, in);
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

const struct dt_target dt_target_aarch64 = { .widens = true, .reach = 1 << 20, .begin = begin, .insn = insn };
