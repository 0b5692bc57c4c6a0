/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Random programs that the verifier would accept: all registers have a value, jumps go ahead or end after a
 * few rounds, memory is the stack, values of maps and elements of maps. What a program returns is made of
 * all its registers and its stack. No address in a stack gets into it: those differ from run to run.
 */
#ifndef NATIVE_RANDOM_H
#define NATIVE_RANDOM_H

#include "native_run.h"

enum { MAX_INSNS = 8192, MAX_FUNCS = 4, MAX_OPS = 64, WINDOW = 64 };

struct random_prog {
	uint64_t state;				/* of the random numbers */
	struct bpf_insn v[MAX_INSNS];
	uint32_t n;
	struct dt_image_reloc relocs[MAX_INSNS];
	uint32_t nrelocs;
	uint32_t func_at[MAX_FUNCS], nfuncs;	/* the last one is called back, the others are called */
	struct { uint32_t insn, func; } calls[MAX_INSNS];
	uint32_t ncalls;
	/* of the function in hand */
	int base;				/* of its window in the stack, from r10 */
	uint32_t op_at[MAX_OPS + 16], func;
	struct { uint32_t insn, op; } jumps[MAX_OPS];
	uint32_t njumps;
};

static uint64_t rnd(struct random_prog *g)
{
	g->state ^= g->state << 13;
	g->state ^= g->state >> 7;
	g->state ^= g->state << 17;
	return g->state * 0x2545f4914f6cdd1dull >> 11;
}
static uint32_t below(struct random_prog *g, uint32_t n) { return (uint32_t)(rnd(g) % n); }
static bool maybe(struct random_prog *g) { return rnd(g) & 1; }

static uint64_t edge(struct random_prog *g)
{
	static const uint64_t edges[] = { 0, 1, 2, 3, 7, 8, 0x7f, 0x80, 0xff, 0x100, 0xfff, 0x1000, 0x7fff,
		0x8000, 0xffff, 0x10000, 0xff00ff, 0x7fffffff, 0x80000000, 0xffffffff, 0x100000000,
		0x00ff00ff00ff00ff, 0x7fffffffffffffff, 0x8000000000000000, 0xffffffff80000000,
		0xffffffffffff8000, 0xffffffffffffff80, 0xffffffffffffffff, 0xfffffffffffffffe };

	switch (below(g, 4)) {
	case 0: return rnd(g) << 20 ^ rnd(g);
	case 1: return 1ull << below(g, 64);
	default: return edges[below(g, sizeof(edges) / sizeof(edges[0]))];
	}
}

static void put(struct random_prog *g, int code, unsigned dst, unsigned src, int off, int64_t imm)
{
	if (g->n < MAX_INSNS - 2)
		g->v[g->n++] = (struct bpf_insn){ .code = (uint8_t)code, .dst_reg = dst & 15,
			.src_reg = src & 15, .off = (int16_t)off, .imm = (int32_t)imm };
}

static void put_wide(struct random_prog *g, unsigned dst, unsigned src, uint64_t v)
{
	put(g, BPF_LD | BPF_DW | BPF_IMM, dst, src, 0, (int32_t)(uint32_t)v);
	put(g, 0, 0, 0, 0, (int32_t)(uint32_t)(v >> 32));
}

static void put_map(struct random_prog *g, unsigned dst, uint32_t map, bool value, uint32_t off)
{
	g->relocs[g->nrelocs++] = (struct dt_image_reloc){ .insn = g->n, .map = map, .off = off,
	    .value = value };
	put_wide(g, dst, value ? BPF_PSEUDO_MAP_VALUE : BPF_PSEUDO_MAP_FD, 0);
}

static void put_number(struct random_prog *g, unsigned dst, uint64_t v)
{
	if (v == (uint64_t)(int32_t)v && maybe(g))
		put(g, BPF_ALU64 | BPF_MOV | BPF_K, dst, 0, 0, (int32_t)v);
	else
		put_wide(g, dst, 0, v);
}

static unsigned any(struct random_prog *g) { return below(g, 10); }

/* ---- one step each ---- */

static void op_alu(struct random_prog *g)
{
	static const uint8_t ops[] = { BPF_ADD, BPF_SUB, BPF_MUL, BPF_DIV, BPF_OR, BPF_AND, BPF_LSH, BPF_RSH,
		BPF_MOD, BPF_XOR, BPF_ARSH, BPF_DIV, BPF_MOD };
	int op = ops[below(g, sizeof(ops))], class = maybe(g) ? BPF_ALU64 : BPF_ALU;
	int sign = (op == BPF_DIV || op == BPF_MOD) && maybe(g);
	bool shift = op == BPF_LSH || op == BPF_RSH || op == BPF_ARSH;
	int32_t k = (int32_t)edge(g);

	if (maybe(g))
		put(g, class | op | BPF_X, any(g), any(g), sign, 0);
	else
		put(g, class | op | BPF_K, any(g), 0, sign, shift ? k & (class == BPF_ALU ? 31 : 63) : k);
}

static void op_move(struct random_prog *g)
{
	unsigned d = any(g), s = any(g), kind = below(g, 5);
	int class = maybe(g) ? BPF_ALU64 : BPF_ALU;

	if (kind == 0) {
		put(g, class | BPF_MOV | BPF_K, d, 0, 0, (int32_t)edge(g));
	} else if (kind == 1) {
		put(g, class | BPF_MOV | BPF_X, d, s, 8 << below(g, class == BPF_ALU64 ? 3 : 2), 0);
	} else if (kind == 2) {
		put(g, BPF_ALU64 | BPF_MOV | BPF_X, d, s, 0, 0);
		put(g, BPF_ALU64 | BPF_ADD | BPF_K, d, 0, 0, (int32_t)edge(g));
	} else if (kind == 3) {
		put_number(g, d, edge(g));
	} else {
		put(g, class | BPF_MOV | BPF_X, d, s, 0, 0);
	}
}

static void op_unary(struct random_prog *g)
{
	unsigned d = any(g);
	int class = maybe(g) ? BPF_ALU64 : BPF_ALU;

	if (maybe(g)) {
		put(g, class | BPF_NEG, d, 0, 0, 0);
		if (maybe(g))
			put(g, class | BPF_NEG, d, 0, 0, 0);
	} else {
		put(g, class | BPF_END | (class == BPF_ALU && maybe(g) ? BPF_TO_BE : BPF_TO_LE), d, 0, 0,
		    16 << below(g, 3));
	}
}

static const uint8_t sizes[] = { BPF_B, BPF_H, BPF_W, BPF_DW };

/* An access of a random size to `room` bytes from reg + off on. */
static void access_to(struct random_prog *g, unsigned reg, int off, uint32_t room)
{
	uint32_t log = below(g, 4), at = below(g, room >> log) << log;
	unsigned other = any(g);

	while (other == reg)
		other = any(g);
	switch (below(g, 4)) {
	case 0: put(g, BPF_ST | BPF_MEM | sizes[log], reg, 0, off + (int)at, (int32_t)edge(g)); break;
	case 1: put(g, BPF_STX | BPF_MEM | sizes[log], reg, other, off + (int)at, 0); break;
	case 2:
		if (log < 3)
			put(g, BPF_LDX | 0x80 | sizes[log], other, reg, off + (int)at, 0);
		break;
	default: put(g, BPF_LDX | BPF_MEM | sizes[log], other, reg, off + (int)at, 0);
	}
}

static void op_stack(struct random_prog *g)
{
	unsigned d = any(g);

	if (maybe(g)) {
		access_to(g, 10, g->base, WINDOW);
		return;
	}
	put(g, BPF_ALU64 | BPF_MOV | BPF_X, d, 10, 0, 0);
	if (below(g, 4) == 0)			/* the sum is not at once seen as one */
		put(g, BPF_ALU64 | BPF_MOV | BPF_K, (d + 1) % 10, 0, 0, 5);
	put(g, BPF_ALU64 | BPF_ADD | BPF_K, d, 0, 0, g->base);
	access_to(g, d, 0, WINDOW);
	put_number(g, d, edge(g));
}

static void op_value(struct random_prog *g)
{
	unsigned d = any(g);
	uint32_t off = 8 * below(g, 500), log = below(g, 4);

	put_map(g, d, MAP_VALUE, true, off);
	if (maybe(g))
		put(g, BPF_LDX | BPF_MEM | sizes[log], d, d, (int)below(g, 64) - (off >= 64 ? 32 : 0), 0);
	else				/* anywhere before it, at a multiple of 8 or not */
		access_to(g, d, -(int)below(g, off + 1), 64);
}

static void op_atomic(struct random_prog *g)
{
	static const int ops[] = { BPF_ADD, BPF_OR, BPF_AND, BPF_XOR, BPF_ADD | BPF_FETCH, BPF_OR | BPF_FETCH,
		BPF_AND | BPF_FETCH, BPF_XOR | BPF_FETCH, BPF_XCHG, BPF_CMPXCHG };
	unsigned d = maybe(g) ? 10 : any(g), s = any(g);
	int op = ops[below(g, 10)], off = d == 10 ? g->base + 8 * (int)below(g, 8) : 8 * (int)below(g, 4);
	int size = maybe(g) ? BPF_DW : BPF_W;

	if (d != 10)
		put_map(g, d, MAP_VALUE, true, 8 * below(g, 400));
	if (op == BPF_CMPXCHG && d != 0 && maybe(g))	/* what is there */
		put(g, BPF_LDX | BPF_MEM | size, 0, d, off, 0);
	put(g, BPF_STX | BPF_ATOMIC | size, d, s, off, op);
}

static void op_jump(struct random_prog *g, uint32_t op)
{
	static const uint8_t conds[] = { BPF_JEQ, BPF_JNE, BPF_JGT, BPF_JGE, BPF_JLT, BPF_JLE, BPF_JSET,
		BPF_JSGT, BPF_JSGE, BPF_JSLT, BPF_JSLE };
	int class = maybe(g) ? BPF_JMP : BPF_JMP32, cond = conds[below(g, sizeof(conds))];

	g->jumps[g->njumps].insn = g->n;
	g->jumps[g->njumps++].op = op + 1 + below(g, 8);
	if (below(g, 8) == 0)
		put(g, class | BPF_JA, 0, 0, 0, 0);
	else if (maybe(g))
		put(g, class | cond | BPF_X, any(g), any(g), 0, 0);
	else
		put(g, class | cond | BPF_K, any(g), 0, 0, maybe(g) ? 0 : (int32_t)edge(g));
}

static void after_call(struct random_prog *g)
{
	for (unsigned r = 1; r <= 5; r++) {
		if (maybe(g))
			put_number(g, r, edge(g));
		else
			put(g, BPF_ALU64 | BPF_MOV | BPF_X, r, maybe(g) ? 0 : 6 + below(g, 4), 0, 0);
	}
}

static void op_call(struct random_prog *g)
{
	uint32_t kind = below(g, 6);

	if (kind == 0) {
		put(g, BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_trace_printk);
	} else if (kind == 1) {
		put(g, BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_get_smp_processor_id);
	} else if (kind == 2) {
		put(g, BPF_JMP | BPF_CALL, 0, 0, 0, maybe(g) ? BPF_FUNC_get_attach_cookie :
		    BPF_FUNC_get_current_pid_tgid);
	} else if (g->func + 2 < g->nfuncs && kind < 5) {
		g->calls[g->ncalls].insn = g->n;
		g->calls[g->ncalls++].func = g->func + 1;
		put(g, BPF_JMP | BPF_CALL, 0, BPF_PSEUDO_CALL, 0, 0);
	} else if (g->func == 0 && g->nfuncs > 1) {
		put_number(g, 1, below(g, 4));
		g->calls[g->ncalls].insn = g->n;
		g->calls[g->ncalls++].func = g->nfuncs - 1;
		put_wide(g, 2, BPF_PSEUDO_FUNC, 0);
		put(g, BPF_ALU64 | BPF_MOV | BPF_X, 3, 6 + below(g, 4), 0, 0);
		put(g, BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_loop);
	} else {
		return;
	}
	after_call(g);
}

/* The key: where it comes from, and whether a jump comes between. */
static void put_key(struct random_prog *g, int off, uint32_t max)
{
	unsigned r = any(g);
	int size = maybe(g) ? BPF_DW : BPF_W;

	if (maybe(g)) {
		put(g, BPF_ST | BPF_MEM | size, 10, 0, off, below(g, max + 2));
	} else {
		if (maybe(g))
			put_number(g, r, (rnd(g) << 32 & (maybe(g) ? 0 : UINT64_MAX)) | below(g, max + 2));
		if (maybe(g))
			put(g, (maybe(g) ? BPF_ALU64 : BPF_ALU) | BPF_AND | BPF_K, r, 0, 0,
			    below(g, max + 2));
		put(g, BPF_STX | BPF_MEM | size, 10, r, off, 0);
	}
	if (below(g, 4) == 0) {			/* another key, or not: the one before is not known */
		put(g, BPF_JMP | BPF_JSGT | BPF_K, any(g), 0, 1, 0);
		put(g, BPF_ST | BPF_MEM | BPF_W, 10, 0, off, below(g, max + 2));
	}
}

static void put_arguments(struct random_prog *g, uint32_t map, int off)
{
	bool turned = below(g, 4) == 0;

	if (!turned)
		put_map(g, 1, map, false, 0);
	put(g, BPF_ALU64 | BPF_MOV | BPF_X, 2, 10, 0, 0);
	put(g, BPF_ALU64 | BPF_ADD | BPF_K, 2, 0, 0, off);
	if (turned)
		put_map(g, 1, map, false, 0);
	if (below(g, 8) == 0) {			/* a jump to the call itself */
		put(g, BPF_JMP | BPF_JEQ | BPF_K, any(g) % 6 == 2 ? 6 : 0, 0, 1, 0);
		put(g, BPF_ALU64 | BPF_MOV | BPF_K, 3, 0, 0, 3);
	}
}

static void op_lookup(struct random_prog *g)
{
	uint32_t map = below(g, MAP_HIDDEN + 1);
	int off = g->base + 8 * (int)below(g, 8);

	put_key(g, off, maps[map].max_entries);
	put_arguments(g, map, off);
	put(g, BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_map_lookup_elem);
	switch (below(g, 3)) {
	case 0: put(g, BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 3, 0); break;
	case 1:
		put(g, BPF_JMP | BPF_JNE | BPF_K, 0, 0, 1, 0);
		put(g, BPF_JMP | BPF_JA, 0, 0, 3, 0);
		break;
	default:
		put(g, BPF_ALU64 | BPF_MOV | BPF_X, 1, 0, 0, 0);
		put(g, BPF_JMP | BPF_JEQ | BPF_K, 1, 0, 3, 0);
	}
	put(g, BPF_ALU64 | BPF_MOV | BPF_K, 1, 0, 0, 1);
	put(g, BPF_STX | BPF_ATOMIC | BPF_DW, 0, 1, 0, BPF_ADD);
	put(g, BPF_LDX | BPF_MEM | BPF_W, 6, 0, 0, 0);
	after_call(g);
}

static void op_loop(struct random_prog *g)
{
	uint32_t top;
	unsigned d = any(g) % 5;

	put(g, BPF_ALU64 | BPF_MOV | BPF_K, 5, 0, 0, 1 + below(g, 5));
	top = g->n;
	put(g, BPF_ALU64 | BPF_ADD | BPF_X, d, any(g), 0, 0);
	put(g, BPF_STX | BPF_MEM | BPF_DW, 10, d, g->base, 0);
	put(g, BPF_ALU64 | BPF_SUB | BPF_K, 5, 0, 0, 1);
	put(g, BPF_JMP | BPF_JNE | BPF_K, 5, 0, (int)top - (int)g->n - 1, 0);
}

static void put_op(struct random_prog *g, uint32_t op)
{
	switch (below(g, 12)) {
	case 0: case 1: op_alu(g); break;
	case 2: op_move(g); break;
	case 3: op_unary(g); break;
	case 4: op_stack(g); break;
	case 5: op_value(g); break;
	case 6: op_atomic(g); break;
	case 7: case 8: op_jump(g, op); break;
	case 9: op_call(g); break;
	case 10: op_lookup(g); break;
	default: op_loop(g);
	}
}

static void put_function(struct random_prog *g, uint32_t nops)
{
	uint32_t first_scalar = g->func ? 6 : 2;
	unsigned mixed = (unsigned)rnd(g) | 2;

	g->njumps = 0;
	g->base = -WINDOW - 8 * (int)below(g, g->func ? 8 : 57);
	g->func_at[g->func] = g->n;
	for (unsigned r = first_scalar; r < 10; r++)
		put_number(g, r, edge(g));
	put_number(g, 0, edge(g));
	if (!g->func)
		put(g, BPF_ALU64 | BPF_MOV | BPF_K, 1, 0, 0, 77);
	for (int i = 0; i < WINDOW; i += 8)
		put(g, BPF_ST | BPF_MEM | BPF_DW, 10, 0, g->base + i, (int32_t)edge(g));
	for (uint32_t i = 0; i < nops; i++) {
		g->op_at[i] = g->n;
		put_op(g, i);
	}
	for (uint32_t i = 0; i < 16; i++)
		g->op_at[nops + i] = g->n;
	for (unsigned r = 1; r < 10; r++) {
		if (!(mixed >> r & 1))
			continue;
		put(g, BPF_ALU64 | BPF_MUL | BPF_K, 0, 0, 0, 31);
		put(g, BPF_ALU64 | BPF_XOR | BPF_X, 0, r, 0, 0);
	}
	for (int i = 0; i < WINDOW; i += 8) {
		put(g, BPF_LDX | BPF_MEM | BPF_DW, 1, 10, g->base + i, 0);
		put(g, BPF_ALU64 | BPF_XOR | BPF_X, 0, 1, 0, 0);
	}
	if (g->func && g->func + 1 == g->nfuncs)	/* called back: 0 means go on */
		put(g, BPF_ALU64 | BPF_AND | BPF_K, 0, 0, 0, 1);
	put(g, BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
	for (uint32_t i = 0; i < g->njumps; i++) {
		struct bpf_insn *in = &g->v[g->jumps[i].insn];
		int d = (int)g->op_at[g->jumps[i].op] - (int)g->jumps[i].insn - 1;

		if (in->code == (BPF_JMP32 | BPF_JA))
			in->imm = d;
		else
			in->off = (int16_t)d;
	}
}

static struct dt_image_prog random_program(struct random_prog *g, uint64_t seed)
{
	*g = (struct random_prog){ .state = seed * 0x9e3779b97f4a7c15ull + 1 };
	rnd(g);
	g->nfuncs = 1 + below(g, MAX_FUNCS);
	for (g->func = 0; g->func < g->nfuncs; g->func++)
		put_function(g, below(g, g->func ? 12 : MAX_OPS));
	for (uint32_t i = 0; i < g->ncalls; i++)
		g->v[g->calls[i].insn].imm = (int32_t)g->func_at[g->calls[i].func] -
		    (int32_t)g->calls[i].insn - 1;
	return (struct dt_image_prog){ .name = "random", .insns = g->v, .ninsns = g->n, .relocs = g->relocs,
		.nrelocs = g->nrelocs };
}

#endif
