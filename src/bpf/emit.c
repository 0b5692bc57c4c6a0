/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Instructions go into a growing array; dt_emit_finish() resolves labels and takes idle jumps out. The offset
 * of a jump has 16 bits (islands.c), that of a call 32. The arrays code, difo_at and difpc_at have the same
 * length and are changed together.
 */
#include "bpf/emit.h"
#include "bpf/current.h"

enum { UNMADE = 1 };			/* imm of a jump that dt_emit_finish() removes */

static uint32_t emit(struct dt_emit *a, int code, int dst, int src, int off, int32_t imm)
{
	struct bpf_insn in = { .code = (uint8_t)code,
		.dst_reg = (uint8_t)dst & 15,
		.src_reg = (uint8_t)src & 15,
		.off = (int16_t)off,
		.imm = imm };

	if (off < INT16_MIN || off > INT16_MAX)
		a->far = true;
	dt_vec_push(a->arena, &a->code, in);
	dt_vec_push(a->arena, &a->difo_at, a->difo);
	dt_vec_push(a->arena, &a->difpc_at, a->difpc);
	return (uint32_t)a->code.n - 1;
}

struct dt_emit_mark dt_emit_mark(const struct dt_emit *a)
{
	return (struct dt_emit_mark){ a->code.n, a->relocs.n, a->fixups.n, a->labels.n, a->funcs.n, a->rt.n,
		a->common.n, a->callbacks };
}

void dt_emit_back(struct dt_emit *a, struct dt_emit_mark m)
{
	a->code.n = a->difo_at.n = a->difpc_at.n = m.code;
	a->relocs.n = m.relocs;
	a->fixups.n = m.fixups;
	a->labels.n = m.labels;
	a->funcs.n = m.funcs;
	a->rt.n = m.rt;
	a->common.n = m.common;
	a->callbacks = m.callbacks;
}

uint32_t dt_label(struct dt_emit *a)
{
	dt_vec_push(a->arena, &a->labels, -1);
	return (uint32_t)a->labels.n - 1;
}

bool dt_label_used(const struct dt_emit *a, uint32_t label, size_t fixups)
{
	for (size_t i = fixups; i < a->fixups.n; i++)
		if (a->fixups.v[i].label == label)
			return true;
	return false;
}

void dt_put(struct dt_emit *a, uint32_t label) { a->labels.v[label] = (int32_t)a->code.n; }

/*
 * Jumps to the next instruction are removed. The kernel would remove them too, but one at a time, and moves
 * all that follows: a large part of the time of a load.
 */
static void mark_idle(const struct dt_emit *a, bool *idle)
{
	for (size_t i = 0; i < a->code.n; i++)
		idle[i] = a->code.v[i].code == (BPF_JMP | BPF_JA) && a->code.v[i].imm == UNMADE;
	/* from the end, so that of several in a row the first sees that the others are idle */
	for (size_t i = a->fixups.n; i-- > 0;) {
		struct dt_fixup f = a->fixups.v[i];
		size_t to = a->labels.v[f.label] < 0 ? 0 : (size_t)a->labels.v[f.label], next = f.insn + 1u;

		if (f.call || a->code.v[f.insn].code != (BPF_JMP | BPF_JA))
			continue;
		while (next < to && idle[next])
			next++;
		idle[f.insn] = next == to;
	}
}

/* Moves the rest together, and all that names an instruction by number with it. */
static void remove_idle(struct dt_emit *a)
{
	bool *idle = DT_NEWN(a->arena, bool, a->code.n + 1);
	uint32_t *to = DT_NEWN(a->arena, uint32_t, a->code.n + 1), n = 0;
	size_t kept = 0;

	mark_idle(a, idle);
	for (size_t i = 0; i < a->code.n; i++) {
		to[i] = n;
		if (idle[i])
			continue;
		a->code.v[n] = a->code.v[i];
		a->difo_at.v[n] = a->difo_at.v[i];
		a->difpc_at.v[n++] = a->difpc_at.v[i];
	}
	to[a->code.n] = n;
	for (size_t i = 0; i < a->fixups.n; i++) {
		if (!idle[a->fixups.v[i].insn]) {
			a->fixups.v[kept] = a->fixups.v[i];
			a->fixups.v[kept].insn = to[a->fixups.v[kept].insn];
			kept++;
		}
	}
	a->fixups.n = kept;
	for (size_t i = 0; i < a->relocs.n; i++)
		a->relocs.v[i].insn = to[a->relocs.v[i].insn];
	for (size_t i = 0; i < a->labels.n; i++)
		a->labels.v[i] = a->labels.v[i] < 0 ? -1 : (int32_t)to[a->labels.v[i]];
	a->code.n = a->difo_at.n = a->difpc_at.n = n;
}

bool dt_emit_finish(struct dt_emit *a)
{
	if (a->far)
		return false;
	remove_idle(a);
	dt_emit_islands(a);
	for (size_t i = 0; i < a->fixups.n; i++) {
		struct dt_fixup f = a->fixups.v[i];
		int64_t d = (int64_t)a->labels.v[f.label] - f.insn - 1;

		if (a->labels.v[f.label] < 0 || (!f.call && (d > INT16_MAX || d < INT16_MIN)))
			return false;
		if (f.call)
			a->code.v[f.insn].imm = (int32_t)d;
		else
			a->code.v[f.insn].off = (int16_t)d;
	}
	return true;
}

static void add_fixup(struct dt_emit *a, uint32_t insn, uint32_t label, bool call)
{
	struct dt_fixup f = { insn, label, call };

	dt_vec_push(a->arena, &a->fixups, f);
}

void dt_mov(struct dt_emit *a, int dst, int src)
{
	if (dst != src)
		emit(a, BPF_ALU64 | BPF_MOV | BPF_X, dst, src, 0, 0);
}

static void imm64(struct dt_emit *a, int dst, int src, uint32_t lo, uint32_t hi)
{
	emit(a, BPF_LD | BPF_DW | BPF_IMM, dst, src, 0, (int32_t)lo);
	emit(a, 0, 0, 0, 0, (int32_t)hi);
}

void dt_imm(struct dt_emit *a, int dst, uint64_t v)
{
	if (v == (uint64_t)(int64_t)(int32_t)v)
		emit(a, BPF_ALU64 | BPF_MOV | BPF_K, dst, 0, 0, (int32_t)v);
	else if (v <= UINT32_MAX)
		emit(a, BPF_ALU | BPF_MOV | BPF_K, dst, 0, 0, (int32_t)(uint32_t)v);
	else
		imm64(a, dst, 0, (uint32_t)v, (uint32_t)(v >> 32));
}

void dt_alu(struct dt_emit *a, int op, int dst, int src) { emit(a, BPF_ALU64 | op | BPF_X, dst, src, 0, 0); }
void dt_alui(struct dt_emit *a, int op, int dst, int32_t imm)
{
	emit(a, BPF_ALU64 | op | BPF_K, dst, 0, 0, imm);
}
void dt_neg(struct dt_emit *a, int dst) { emit(a, BPF_ALU64 | BPF_NEG, dst, 0, 0, 0); }
void dt_swap(struct dt_emit *a, int dst, int bits)
{
	emit(a, BPF_ALU | BPF_END | BPF_TO_BE, dst, 0, 0, bits);
}
void dt_ldx(struct dt_emit *a, int size, int dst, int src, int off)
{
	emit(a, BPF_LDX | BPF_MEM | size, dst, src, off, 0);
}
void dt_stx(struct dt_emit *a, int size, int dst, int off, int src)
{
	emit(a, BPF_STX | BPF_MEM | size, dst, src, off, 0);
}
void dt_sti(struct dt_emit *a, int size, int dst, int off, int32_t imm)
{
	emit(a, BPF_ST | BPF_MEM | size, dst, 0, off, imm);
}
void dt_atomic(struct dt_emit *a, int op, int dst, int off, int src)
{
	emit(a, BPF_STX | BPF_ATOMIC | BPF_DW, dst, src, off, op);
}

void dt_jmp(struct dt_emit *a, int op, int dst, int src, uint32_t label)
{
	add_fixup(a, emit(a, BPF_JMP | op | BPF_X, dst, src, 0, 0), label, false);
}

void dt_jmpi(struct dt_emit *a, int op, int dst, int32_t imm, uint32_t label)
{
	add_fixup(a, emit(a, BPF_JMP | op | BPF_K, dst, 0, 0, imm), label, false);
}

void dt_ja(struct dt_emit *a, uint32_t label)
{
	add_fixup(a, emit(a, BPF_JMP | BPF_JA, 0, 0, 0, 0), label, false);
}
void dt_call(struct dt_emit *a, int helper)
{
	if (a->task == NULL || !dt_current_call(a, helper))
		emit(a, BPF_JMP | BPF_CALL, 0, 0, 0, helper);
}

void dt_callsub(struct dt_emit *a, uint32_t label)
{
	add_fixup(a, emit(a, BPF_JMP | BPF_CALL, 0, BPF_PSEUDO_CALL, 0, 0), label, true);
}

void dt_funcaddr(struct dt_emit *a, int dst, uint32_t label)
{
	uint32_t at = emit(a, BPF_LD | BPF_DW | BPF_IMM, dst, BPF_PSEUDO_FUNC, 0, 0);

	emit(a, 0, 0, 0, 0, 0);
	add_fixup(a, at, label, true);
	a->callbacks = true;
}

void dt_raw(struct dt_emit *a, struct bpf_insn in)
{
	emit(a, in.code, in.dst_reg, in.src_reg, in.off, in.imm);
}
void dt_unmake(struct dt_emit *a, size_t at)
{
	a->code.v[at] = (struct bpf_insn){ .code = BPF_JMP | BPF_JA, .imm = UNMADE };
}
void dt_exit(struct dt_emit *a) { emit(a, BPF_JMP | BPF_EXIT, 0, 0, 0, 0); }

/*
 * The lowest offset from FP that an instruction uses; 0 when it uses none. An address in the frame is made by
 * two instructions, of which the second has the offset (dt_fpaddr()).
 */
static int frame_reach(const struct bpf_insn *in)
{
	unsigned class = BPF_CLASS(in->code);

	if (((class == BPF_ST || class == BPF_STX) && in->dst_reg == FP) ||
	    (class == BPF_LDX && in->src_reg == FP))
		return in->off;
	if (in->code == (BPF_ALU64 | BPF_MOV | BPF_X) && in->src_reg == FP &&
	    in[1].code == (BPF_ALU64 | BPF_ADD | BPF_K))
		return in[1].imm;
	return 0;
}

/*
 * A function begins with a store to the deepest word of its frame, so that the verifier counts the whole
 * frame from there on. The verifier takes a word that was never written for any number, and so finds two
 * paths alike although one of them has a number there that matters. When it then looks for who wrote that
 * word on the other path, where the frame was still shorter, Linux 6.18 stops with "verifier bug: stack
 * slot".
 */
size_t dt_frame_begin(struct dt_emit *a)
{
	dt_sti(a, BPF_DW, FP, 0, 0);
	return a->code.n - 1;
}

void dt_frame_end(struct dt_emit *a, size_t begin)
{
	int deepest = 0;

	for (size_t i = begin + 1; i + 1 < a->code.n; i++) {
		int off = frame_reach(&a->code.v[i]);

		deepest = off < deepest ? off : deepest;
	}
	deepest &= ~7;
	if (deepest)
		a->code.v[begin].off = (int16_t)deepest;
	else
		dt_unmake(a, begin);
}

static void map_ref(struct dt_emit *a, int dst, uint32_t map, uint32_t off, bool value)
{
	struct dt_image_reloc r = { .insn = (uint32_t)a->code.n, .map = map, .off = off, .value = value };

	dt_vec_push(a->arena, &a->relocs, r);
	imm64(a, dst, value ? BPF_PSEUDO_MAP_VALUE : BPF_PSEUDO_MAP_FD, 0, value ? off : 0);
}

void dt_map(struct dt_emit *a, int dst, uint32_t map) { map_ref(a, dst, map, 0, false); }
void dt_mapval(struct dt_emit *a, int dst, uint32_t map, uint32_t off) { map_ref(a, dst, map, off, true); }

void dt_fpaddr(struct dt_emit *a, int dst, int off)
{
	dt_mov(a, dst, FP);
	dt_alui(a, BPF_ADD, dst, off);
}

void dt_scalar(struct dt_emit *a, int dst)
{
	dt_neg(a, dst);
	dt_neg(a, dst);
}
