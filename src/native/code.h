/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the parts of the translator share: a program under translation, with a note for each instruction and
 * a record for each function. analyse.c writes the notes once; then a machine (native_aarch64.c,
 * native_x86_64.c) makes code of one instruction after the other, as often as it takes until the lengths of
 * all jumps are settled.
 */
#ifndef DT_NATIVE_CODE_H
#define DT_NATIVE_CODE_H

#include "native/native.h"

#include <errno.h>

enum { BR0, BR1, BR2, BR3, BR4, BR5, BR6, BR7, BR8, BR9, BFP, BREGS };	/* of eBPF */
enum { DT_MEMSX = 0x80 };		/* BPF_MEMSX, which old headers lack: a load with its sign */
enum { DT_FRAME_MAX = 512 };		/* bytes of eBPF's stack */

/* What an instruction is made into, if it is more than the instruction itself. */
enum dt_make {
	DT_MAKE_ITSELF,
	DT_MAKE_NOTHING,	/* another one does its work, or its result is never read */
	DT_MAKE_SUM,		/* dst = src + imm of the next one, which is made into nothing */
	DT_MAKE_LOAD,		/* ld_imm64 of a value and the load that follows it into the same register */
	DT_MAKE_LOOKUP,		/* a call of map_lookup_elem in a map of known place */
};

struct dt_note {
	uint8_t make;		/* enum dt_make */
	bool target;		/* jumps come here */
	bool start;		/* a function begins here */
	bool second;		/* the other half of an ld_imm64 */
	bool reached, left;	/* a path comes here; those that go on from here are known */
	bool wide;		/* its jump needs the long form */
	bool jumps;		/* the code made last has a jump of variable length */
	uint32_t reloc;		/* 1 + index; 0: none */
	uint32_t at, from, to;	/* of its code; of the end of its jump, and which instruction that goes to */
};

struct dt_func {
	uint32_t first, end;	/* instructions */
	uint32_t at;		/* its first byte */
	uint32_t depth;		/* of its stack, a multiple of 16 */
	uint8_t used;		/* bit n: r6 + n has a register that is to be saved */
	bool leaf;		/* calls nothing */
	bool goes_on;		/* by a tail call */
	bool reads_context;	/* r1 may be read as it was when the function began */
};

struct dt_native {
	const struct dt_image_prog *prog;
	const struct dt_native_place *place;
	const struct dt_target *target;
	struct dt_note *note;
	struct dt_func *func;
	uint32_t nfuncs;
	const struct dt_func *in;	/* the function in hand */
	uint32_t insn;			/* the instruction in hand */
	uint8_t *bytes;
	size_t len, cap;
	int err;
	char *msg;
	size_t msglen;
};

/* A machine. */
struct dt_target {
	/* jumps begin short and become wide where they must; else the other way round */
	bool widens;
	int64_t reach;		/* of a short one: -reach … reach - 1 */
	void (*begin)(struct dt_native *);				/* of n->in */
	void (*insn)(struct dt_native *, const struct bpf_insn *);	/* n->insn */
};
extern const struct dt_target dt_target_aarch64, dt_target_x86_64;

/* How the key of a lookup is known. */
enum dt_key { DT_KEY_POINTER, DT_KEY_FRAME, DT_KEY_REGISTER, DT_KEY_NUMBER };
struct dt_lookup {
	const struct dt_agent_map *map;
	enum dt_key key;
	int32_t off;		/* FRAME: of the frame */
	uint8_t reg;		/* REGISTER: that has it, or POINTER: that points to it; of eBPF */
	uint32_t number;	/* NUMBER */
	bool inside;		/* the index is known to be less than max_entries */
	/* the jump that follows, on whether there is such an element; to: the instruction it goes to */
	enum { DT_TEST_NONE, DT_TEST_MISSING, DT_TEST_FOUND } test;
	uint32_t to;
};

/* native.c */
/* An instruction that has no translation. */
void dt_native_unknown(struct dt_native *, const struct bpf_insn *);
void dt_native_fail(struct dt_native *, int err, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
void dt_native_put(struct dt_native *, const void *bytes, size_t len);
/* The jump that ends here; returns how far it is to where it goes. */
int64_t dt_native_jump(struct dt_native *, uint32_t to);

/* analyse.c */
int dt_native_analyse(struct dt_native *);
bool dt_native_lookup(struct dt_native *, uint32_t call, struct dt_lookup *);
/* The instruction that gave a register its value, in the same block; -1: not known. */
int64_t dt_native_origin(const struct dt_native *, uint32_t at, unsigned reg);
/* The place of the ld_imm64 in hand's relocation. */
uint64_t dt_native_place(struct dt_native *, uint32_t insn);
/* The function that a call or an address means. */
const struct dt_func *dt_native_func(const struct dt_native *, uint32_t insn);
/* The place that a tail call goes to. */
uint64_t dt_native_chain(struct dt_native *, uint32_t call);
uint64_t dt_native_helper(struct dt_native *, uint32_t func);
/* Whether the instruction is a jump; *to: where it goes. */
bool dt_native_jumps(const struct bpf_insn *, uint32_t at, int64_t *to);
/* prune.c: whether nothing is made between the instruction in hand and that one, so that no jump is needed */
bool dt_native_comes_next(const struct dt_native *, uint32_t to);
/* These are loads from the firing, not calls. */
bool dt_native_is_load(int32_t func);
/* Of the firing: what machines read. */
enum {
	DT_AT_CPU = offsetof(struct dt_firing, cpu),
	DT_AT_IDS = offsetof(struct dt_firing, ids),
	DT_AT_COOKIE = offsetof(struct dt_firing, cookie),
};

static inline bool dt_is_wide(const struct bpf_insn *in) { return in->code == (BPF_LD | BPF_DW | BPF_IMM); }
static inline uint64_t dt_wide_imm(const struct bpf_insn *in)
{
	return (uint64_t)(uint32_t)in[1].imm << 32 | (uint32_t)in->imm;
}
/* What a move extends with its sign is 8, 16 or, of 64 bits, 32 bits wide. */
static inline bool dt_is_extension(const struct bpf_insn *in)
{
	return in->off == 8 || in->off == 16 || (in->off == 32 && BPF_CLASS(in->code) == BPF_ALU64);
}
/* Bytes that a load or a store is about. */
static inline int dt_access_size(const struct bpf_insn *in)
{
	static const uint8_t size[] = { [BPF_W >> 3] = 4, [BPF_H >> 3] = 2, [BPF_B >> 3] = 1,
		[BPF_DW >> 3] = 8 };

	return size[BPF_SIZE(in->code) >> 3];
}
static inline bool dt_is_power2(uint64_t n) { return n && !(n & (n - 1)); }

#endif
