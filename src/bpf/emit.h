/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The assembler: one function for each instruction; labels, which are put once and may be jumped to before
 * and after; map references, which become relocations. It knows eBPF and nothing of DIF, except that each
 * instruction remembers the DIF it was made for. All memory is the arena's.
 */
#ifndef DT_BPF_EMIT_H
#define DT_BPF_EMIT_H

#include "base/arena.h"
#include "bpf/image.h"

enum { R0, R1, R2, R3, R4, R5, R6, R7, R8, R9, FP };
enum { B1 = BPF_B, B2 = BPF_H, B4 = BPF_W, B8 = BPF_DW };	/* access sizes */
static inline int dt_width(uint32_t bytes)
{
	return bytes == 1 ? B1 : bytes == 2 ? B2 : bytes == 4 ? B4 : B8;
}

#define DT_OFF_ZEROS UINT32_MAX		/* relocation into the constants: their run of zeros, placed last */

struct dt_rtuse { uint32_t func, label; };	/* a function of the runtime that is called */
struct dt_lower;
/*
 * Code that several clauses of a program need and that each of them calls instead of containing it. It is
 * made once, after them. `make` and `what` together tell one from another.
 */
struct dt_common { void (*make)(struct dt_lower *, uint64_t what); uint64_t what; uint32_t label; };
struct dt_fixup { uint32_t insn; uint32_t label; bool call; };

struct dt_emit {
	struct dt_arena *arena;
	DT_VEC(struct bpf_insn) code;
	DT_VEC(struct dt_image_reloc) relocs;
	DT_VEC(struct dt_fixup) fixups;
	DT_VEC(int32_t) labels;			/* where each is, -1 not yet */
	DT_VEC(uint32_t) funcs;			/* labels of the subprograms */
	DT_VEC(struct dt_rtuse) rt;
	DT_VEC(struct dt_common) common;
	bool callbacks;				/* there are function addresses */
	bool far;				/* an offset did not fit 16 bits: there is no program */
	DT_VEC(const struct dt_difo *) difo_at;
	DT_VEC(uint32_t) difpc_at;
	const struct dt_difo *difo;		/* in hand */
	uint32_t difpc;
	/* the program fires for a thread that is not the current one (current.c); NULL: it does not */
	const struct dt_plan_opts *task;
};

/*
 * A state of the emitter. dt_emit_back() throws away all code made after it, with its labels and map
 * references; maps and constants that it asked for stay.
 */
struct dt_emit_mark { size_t code, relocs, fixups, labels, funcs, rt, common; bool callbacks; };
struct dt_emit_mark dt_emit_mark(const struct dt_emit *);
void dt_emit_back(struct dt_emit *, struct dt_emit_mark);

uint32_t dt_label(struct dt_emit *);
void dt_put(struct dt_emit *, uint32_t label);
/* Whether something goes there; fixups: how many there were when the label was made. */
bool dt_label_used(const struct dt_emit *, uint32_t label, size_t fixups);
/* Fills in jumps and calls; false: a jump back, or an offset in memory, goes too far. */
bool dt_emit_finish(struct dt_emit *);
/* islands.c: makes all jumps forward short enough; labels are placed, offsets not yet filled in */
void dt_emit_islands(struct dt_emit *);

void dt_mov(struct dt_emit *, int dst, int src);
void dt_imm(struct dt_emit *, int dst, uint64_t v);
void dt_alu(struct dt_emit *, int op, int dst, int src);		/* BPF_ADD … */
void dt_alui(struct dt_emit *, int op, int dst, int32_t imm);
void dt_neg(struct dt_emit *, int dst);
void dt_swap(struct dt_emit *, int dst, int bits);		/* to big endian */
void dt_ldx(struct dt_emit *, int size, int dst, int src, int off);
void dt_stx(struct dt_emit *, int size, int dst, int off, int src);
void dt_sti(struct dt_emit *, int size, int dst, int off, int32_t imm);
/* 64 bits; BPF_ADD, with BPF_FETCH, BPF_CMPXCHG, BPF_XCHG */
void dt_atomic(struct dt_emit *, int op, int dst, int off, int src);
void dt_jmp(struct dt_emit *, int op, int dst, int src, uint32_t label);
void dt_jmpi(struct dt_emit *, int op, int dst, int32_t imm, uint32_t label);
void dt_ja(struct dt_emit *, uint32_t label);
void dt_call(struct dt_emit *, int helper);
void dt_callsub(struct dt_emit *, uint32_t label);
void dt_funcaddr(struct dt_emit *, int dst, uint32_t label);	/* for helpers that call back */
void dt_raw(struct dt_emit *, struct bpf_insn);
void dt_unmake(struct dt_emit *, size_t at);			/* dt_emit_finish() leaves it out */
/*
 * Around all code of a function: the first at its start, the second with its value when the code is there.
 * Why: emit.c.
 */
size_t dt_frame_begin(struct dt_emit *);
void dt_frame_end(struct dt_emit *, size_t begin);
void dt_exit(struct dt_emit *);
void dt_map(struct dt_emit *, int dst, uint32_t map);
void dt_mapval(struct dt_emit *, int dst, uint32_t map, uint32_t off);
void dt_fpaddr(struct dt_emit *, int dst, int off);		/* dst = FP + off */
/*
 * A pointer becomes a number of the same value: the verifier forgets the type of what it sees negated, and
 * allows anything to be done with it.
 */
void dt_scalar(struct dt_emit *, int dst);

#endif
